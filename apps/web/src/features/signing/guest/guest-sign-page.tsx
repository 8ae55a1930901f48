import { type GuestEnvelope, RESEND_COOLDOWN_S } from "@paraphe/contracts";
import { type QueryClient, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ComponentProps, useEffect, useMemo, useRef, useState } from "react";
import { useNavigate, useParams } from "react-router";
import { ApiError, callMessage } from "../../../lib/api/api-error.ts";
import { useServiceRules } from "../../../lib/api/service-rules.ts";
import { PICTURE_MS } from "../../../pdf/use-pdf.ts";
import { LegalLinks } from "../../privacy/legal/legal-links.tsx";
import { Brand } from "../../../ui/brand/brand.tsx";
import { buttonLook } from "../../../ui/button/button.tsx";
import { FullLoader } from "../../../ui/skeleton/skeleton.tsx";
import { LaterExtension } from "../desk/later-parts.tsx";
import { createDeskMemory } from "../desk/use-desk.ts";
import { DownloadButton } from "../download-button.tsx";
import { GuestCode, confirmByLink, sendOtp, verifyOtp } from "./guest-code.tsx";
import { GuestHead, guestParts } from "./guest-parts.tsx";
import { GuestWelcome } from "./guest-welcome.tsx";
import {
  type RequestStanding,
  type RequestSubject,
  declinedStanding,
  standingOf,
  subjectOf,
  useClosedElsewhere,
} from "../request-standing.ts";
import type { SignOutcome } from "../sign-outcome.ts";
import { type SigningCalls, guestCalls } from "../signing-calls.ts";
import { SigningDesk } from "../desk/signing-desk.tsx";
import { StandingPanel } from "../standing-panel.tsx";

const SEALING_POLL_MS = 1_500;
/** Mail replaces a text message that is refused, or fails twice 10 s apart. */
const TEXT_POLL_MS = 4_000;
const TEXT_POLLS = 15;

/** Hears, after each drawing, what is shown; for a site that embeds the page. */
export const frame: { shows: (standing: RequestStanding | "signed" | null) => void } = {
  shows: () => undefined,
};

export const INVALID_LINK = {
  kind: "closed",
  title: "Lien non valide",
  text: "Ce lien n’est pas valide. Rouvrez celui que vous avez reçu, ou vérifiez que vous avez copié l’adresse entière. Le document a peut-être été supprimé depuis.",
  isSpent: true,
} as const;

export function GuestSignPage() {
  const { id = "" } = useParams();
  const [token] = useState(() => takeGuestToken(id, window));
  useEffect(() => {
    if (token) void confirmByLink(id, token);
  }, [id, token]);
  if (token) return <GuestRequest id={id} token={token} />;
  return (
    <>
      <GuestHead />
      <main id="contenu">
        <StandingPanel standing={INVALID_LINK}>
          <LegalLinks newTab />
        </StandingPanel>
      </main>
    </>
  );
}

function GuestRequest({ id, token }: { id: string; token: string }) {
  const { calls, query, standing, setEnded } = useGuestRequest(id, token);
  const memory = useRef(createDeskMemory());
  const navigate = useNavigate();
  const [notice, setNotice] = useState<string | null>(null);
  const request = query.data;

  if (request?.otp.verified && standing?.kind === "open" && request.documents && request.fields) {
    const onOutcome = (outcome: SignOutcome) => {
      if (outcome.kind === "code")
        setNotice(
          "Votre confirmation a expiré. Demandez un nouveau code\u00a0: vos réponses sont gardées.",
        );
      if (outcome.kind === "reload") setNotice(outcome.message);
      if (outcome.kind === "ended") setEnded(outcome.standing);
      if (outcome.kind === "code" || outcome.kind === "reload") void query.refetch();
    };
    return (
      <SigningDesk
        key={request.documents.map((document) => document.sha256).join()}
        request={{ ...request, documents: request.documents, fields: request.fields }}
        calls={calls}
        memory={memory.current}
        savedMarks={null}
        guest={guestParts}
        lead={<Brand markOnly />}
        under="nothing"
        onSigned={() => void navigate("/signature/guest/success", { replace: true, state: { id } })}
        onDeclined={() => setEnded(declinedStanding(request.recipient.role))}
        onOutcome={onOutcome}
      />
    );
  }
  return (
    <>
      <GuestHead title={subjectOf(query)?.title} />
      <main id="contenu">
        {standing && standing.kind !== "open" ? (
          <ClosedRequest
            {...{ id, token, standing, calls }}
            subject={subjectOf(query)}
            onRetry={() => void query.refetch()}
          />
        ) : request ? (
          <GuestAccess
            request={request}
            token={token}
            notice={notice}
            onRefresh={async () => (await query.refetch()).data}
          />
        ) : (
          <FullLoader label="Chargement de la demande" />
        )}
      </main>
    </>
  );
}

function useGuestRequest(id: string, token: string) {
  const client = useQueryClient();
  const calls = useMemo(() => callsWithPicture(id, token, client), [id, token, client]);
  const query = useQuery(guestRequest(id, calls));
  const [ended, setEnded] = useState<RequestStanding | null>(null);
  const standing = ended ?? standingOf(query, INVALID_LINK);
  const recipientId = (standing?.kind === "open" && query.data?.recipient.id) || null;
  useClosedElsewhere({ calls, recipientId, readAgain: query.refetch });
  useEffect(() => frame.shows(standing));
  return { calls, query, standing, setEnded };
}

function guestRequest(id: string, calls: SigningCalls) {
  return queryOptions({
    queryKey: ["guest", id],
    queryFn: async ({ signal }) => (await calls.load(signal)) as GuestEnvelope,
    // No background refetch: the documents may not change while they are read.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchInterval: ({ state }) =>
      state.data?.recipient.status === "sealing" ? SEALING_POLL_MS : false,
  });
}

/** The first page's picture is asked for with the request. */
function callsWithPicture(id: string, token: string, client: QueryClient): SigningCalls {
  const calls = guestCalls(id, token);
  const picture = (documentId: string) =>
    queryOptions({
      queryKey: ["first-page", documentId],
      queryFn: () => calls.firstPage(documentId, AbortSignal.timeout(PICTURE_MS)),
      staleTime: Number.POSITIVE_INFINITY,
      retry: false,
    });
  return {
    ...calls,
    load: async (signal) => {
      const request = await calls.load(signal);
      const [first] = request.documents ?? [];
      if (first) void client.prefetchQuery(picture(first.id));
      return request;
    },
    firstPage: (documentId) => client.fetchQuery(picture(documentId)),
  };
}

export function readAhead(client: QueryClient, from: Window): void {
  const id = /^\/sign\/([^/]+)/.exec(from.location.pathname)?.[1];
  const token = id === undefined ? null : takeGuestToken(id, from);
  if (id !== undefined && token !== null)
    void client.prefetchQuery(guestRequest(id, callsWithPicture(id, token, client)));
}

type ClosedRequestProps = {
  readonly id: string;
  readonly token: string;
  readonly standing: ComponentProps<typeof StandingPanel>["standing"];
  readonly subject: RequestSubject | null;
  readonly calls: SigningCalls;
  readonly onRetry: () => void;
};

function ClosedRequest({ id, token, standing, subject, calls, onRetry }: ClosedRequestProps) {
  return (
    <StandingPanel {...{ standing, subject, onRetry }}>
      {standing.kind === "signed" ? (
        <DownloadButton
          {...{ id, token }}
          title={subject?.title ?? null}
          label="Télécharger le document"
        />
      ) : null}
      {"isInAccount" in standing && (
        <a
          className={buttonLook({ variant: "primary" })}
          href={`/signature/sign/${id}`}
          target={parent === window ? undefined : "_blank"}
          rel="noopener"
        >
          Se connecter
        </a>
      )}
      {"isLate" in standing && (
        <LaterExtension asker={{ envelopeId: id, recipient: token }} calls={calls} />
      )}
      <LegalLinks newTab />
    </StandingPanel>
  );
}

type GuestAccessProps = {
  readonly request: GuestEnvelope;
  readonly token: string;
  readonly notice: string | null;
  readonly onRefresh: () => Promise<GuestEnvelope | undefined>;
};

type SentTo = {
  readonly destination: string;
  readonly channel: "email" | "sms";
  readonly hasFallenBack: boolean;
  readonly resendAt: number;
  readonly expiresAt: number;
};
/** Where mail works, the code goes by mail instead. */
const TEXT_LOST = "Le SMS n’a pas pu partir. Attendez une minute, puis demandez un autre code.";
/** Specification §4. */
const CODE_VALIDITY_S = 600;

/** Without the service's end time, it follows from the sending. */
function timesOf({
  resendIn,
  expiresIn,
}: {
  resendIn: number;
  expiresIn?: number;
}): Pick<SentTo, "resendAt" | "expiresAt"> {
  const left = expiresIn ?? CODE_VALIDITY_S - Math.max(0, RESEND_COOLDOWN_S - resendIn);
  return { resendAt: Date.now() + resendIn * 1000, expiresAt: Date.now() + left * 1000 };
}

/** Null where the last code opens nothing here. */
function lastSent({ otp, recipient }: GuestEnvelope, resendIn: number): SentTo | null {
  if (recipient.phone_hint === null && (otp.channel === "sms" || otp.failed === "sms")) return null;
  return {
    destination:
      otp.channel === "sms" && recipient.phone_hint ? recipient.phone_hint : recipient.email,
    channel: otp.channel,
    hasFallenBack: otp.failed === "sms",
    ...timesOf({ resendIn }),
  };
}

function GuestAccess({ notice, ...access }: GuestAccessProps) {
  const { request, token, onRefresh } = access;
  const { sent, isBusy, error, ask, askFirst, forget } = useSentCode(access);
  const { mail } = useServiceRules();
  const hasFallenBack = sent?.channel === "sms" && request.otp.failed === "sms";
  useWatchedText(sent?.channel === "sms" && !hasFallenBack ? sent.expiresAt : null, onRefresh);
  const isLost = !mail && (hasFallenBack || sent?.hasFallenBack === true);
  if (!sent || isLost) {
    const onAskCode = (channel?: "email" | "sms") => void askFirst(channel);
    return (
      <GuestWelcome
        request={request}
        isBusy={isBusy}
        error={error ?? (isLost ? TEXT_LOST : null)}
        onAskCode={onAskCode}
      />
    );
  }
  return (
    <GuestCode
      destination={hasFallenBack ? request.recipient.email : sent.destination}
      channel={hasFallenBack ? "email" : sent.channel}
      hasFallenBack={hasFallenBack || sent.hasFallenBack}
      resendAt={sent.resendAt}
      expiresAt={sent.expiresAt}
      phoneHint={request.recipient.phone_hint}
      notice={notice}
      onBack={forget}
      onResend={ask}
      onVerify={async (code) => {
        await verifyOtp(request.id, token, code);
        await onRefresh();
      }}
    />
  );
}

function useSentCode({ request, token, onRefresh }: Omit<GuestAccessProps, "notice">) {
  // After a reload, a code already sent can still be typed.
  const [sent, setSent] = useState(() =>
    request.otp.resend_in > 0 ? lastSent(request, request.otp.resend_in) : null,
  );
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const ask = async (channel?: "email" | "sms") => {
    const answer = await sendOtp(request.id, token, channel);
    // A failure of the previous code does not concern this one.
    if (request.otp.failed !== null) await onRefresh();
    setSent({
      destination: answer.destination,
      channel: answer.channel,
      hasFallenBack: false,
      ...timesOf({ resendIn: answer.resend_in, expiresIn: answer.expires_in }),
    });
  };
  const askFirst = async (channel?: "email" | "sms") => {
    setIsBusy(true);
    setError(null);
    try {
      await ask(channel);
    } catch (cause) {
      const isCooling = cause instanceof ApiError && cause.code === "otp_cooldown";
      const last = isCooling
        ? lastSent((await onRefresh()) ?? request, cause.details.retryAfterS ?? RESEND_COOLDOWN_S)
        : null;
      if (last) setSent(last);
      else setError(callMessage(cause, "Impossible d'envoyer le code OTP"));
    } finally {
      setIsBusy(false);
    }
  };
  return { sent, isBusy, error, ask, askFirst, forget: () => setSent(null) };
}

/** Polls for the text message's failure; `until` names the code, null for none. */
function useWatchedText(until: number | null, refresh: () => Promise<unknown>): void {
  const latest = useRef(refresh);
  useEffect(() => {
    latest.current = refresh;
  });
  useEffect(() => {
    if (until === null) return undefined;
    let looks = 0;
    const timer = setInterval(() => {
      looks += 1;
      if (looks >= TEXT_POLLS) clearInterval(timer);
      void latest.current();
    }, TEXT_POLL_MS);
    return () => clearInterval(timer);
  }, [until]);
}

const key = (envelopeId: string) => `paraphe.guest.${envelopeId}`;
const inMemory = new Map<string, string>();

/** Moves the token to this tab's storage, out of history, bookmarks and referrers. */
export function takeGuestToken(
  envelopeId: string,
  from: { readonly location: Location; readonly history: History },
): string | null {
  const url = new URL(from.location.href);
  const token = url.searchParams.get("token");
  if (!token) return readGuestToken(envelopeId);
  url.searchParams.delete("token");
  from.history.replaceState(from.history.state, "", url.pathname + url.search + url.hash);
  storeGuestToken(envelopeId, token);
  return token;
}

export function storeGuestToken(envelopeId: string, token: string): void {
  inMemory.set(envelopeId, token);
  store(() => sessionStorage.setItem(key(envelopeId), token));
}

export function readGuestToken(envelopeId: string): string | null {
  return inMemory.get(envelopeId) ?? store(() => sessionStorage.getItem(key(envelopeId))) ?? null;
}

/** Runs `action`; null where the browser blocks storage, so that values last until a reload. */
export function store<T>(action: () => T): T | null {
  try {
    return action();
  } catch (cause) {
    if (cause instanceof DOMException) return null;
    throw cause;
  }
}
