import { type GuestEnvelope, onBehalfOf } from "@paraphe/contracts";
import { formatDueDate } from "../../../lib/format/format-dates.ts";
import { useServiceRules } from "../../../lib/api/service-rules.ts";
import { classNames } from "../../../lib/class-names.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { DocIcon } from "../../../ui/doc-cell/doc-cell.tsx";
import { LinkAction } from "../../../ui/link/link-action.tsx";
import { PageHeading } from "../../../ui/page-heading/page-heading.tsx";
import { LegalLinks } from "../../privacy/legal/legal-links.tsx";
import styles from "./guest-welcome.module.css";

type GuestWelcomeProps = {
  readonly request: GuestEnvelope;
  readonly isBusy: boolean;
  readonly error: string | null;
  readonly onAskCode: (channel?: "email" | "sms") => void;
};
/** Without mail or a phone number nobody signs by the link. */
const NO_CODE =
  "Pour lire ce document, il faut un code reçu par email, et ce service n’en envoie pas. Adressez-vous à la personne qui vous a écrit.";
const STEPS = ["Recevez un code à usage unique", "Lisez le document"];
const SIGN = ["Document à signer", "Signez, du doigt ou au clavier"];
const DEEDS = {
  signer: SIGN,
  approver: SIGN,
  visa: ["Document à viser", "Donnez votre visa"],
  viewer: ["Document en copie"],
};

/** Nothing of the document is shown before the code. */
export function GuestWelcome({ request, isBusy, error, onAskCode }: GuestWelcomeProps) {
  const { mail } = useServiceRules();
  const canReach = mail || request.recipient.phone_hint !== null;
  const [kind, ...deed] = DEEDS[request.recipient.role];
  const due = formatDueDate(request.recipient.role, request.deadline_at);
  return (
    <div className="center">
      <div className="panel">
        <div className={classNames("panel__b", styles.welcome)}>
          <div className={classNames("stack stack--lg", styles.request)}>
            <div className={styles.document}>
              <DocIcon />
              <div>
                <p className="ink2">{kind}</p>
                <PageHeading title={request.title} className={styles.title ?? ""}>
                  {request.title}
                </PageHeading>
                <p className="ink2">
                  {`Envoyé par ${request.sender_name}`}
                  {request.sender_team === undefined ? "" : `, ${onBehalfOf(request.sender_team)}`}
                  {due === null ? "" : `, ${due}`}
                </p>
              </div>
            </div>
            {request.message ? (
              <blockquote className={styles.message}>{request.message}</blockquote>
            ) : null}
          </div>
          {canReach ? <Steps steps={[...STEPS, ...deed]} /> : <Alert tone="info">{NO_CODE}</Alert>}
          <div className="stack stack--lg">
            {error ? <Alert tone="danger">{error}</Alert> : null}
            {canReach ? <AskCode {...{ request, isBusy, onAskCode }} /> : null}
            <p className="muted small">
              {canReach ? "Aucun compte n’est nécessaire. " : ""}
              Vous n’attendiez pas ce document{"\u202f"}? Fermez cette page{"\u00a0"}: rien ne sera
              signé.
            </p>
          </div>
          <div className={styles.legal}>
            <LegalLinks newTab />
          </div>
        </div>
      </div>
    </div>
  );
}

function AskCode({ request, isBusy, onAskCode }: Omit<GuestWelcomeProps, "error">) {
  const { mail } = useServiceRules();
  const phone = request.recipient.phone_hint;
  const isByText = !mail || request.otp.channel === "sms";
  return (
    <div className="stack stack--sm">
      <Button
        variant="primary"
        size="lg"
        block
        loading={isBusy}
        onClick={() => onAskCode(mail ? undefined : "sms")}
      >
        Recevoir mon code
      </Button>
      <p className={styles.destination}>
        Le code part à{" "}
        <b className="break">{phone && isByText ? phone : request.recipient.email}</b>.{" "}
        {phone && !isByText ? (
          <LinkAction onClick={() => onAskCode("sms")}>{`Recevoir par SMS au ${phone}`}</LinkAction>
        ) : null}
      </p>
    </div>
  );
}

function Steps({ steps }: { readonly steps: readonly string[] }) {
  return (
    <ol className={styles.steps}>
      {steps.map((step, index) => (
        <li key={step} className={styles.step}>
          <span className={styles.number} aria-hidden="true">
            {index + 1}
          </span>
          {step}
        </li>
      ))}
    </ol>
  );
}
