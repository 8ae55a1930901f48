import type { OwnSession } from "@paraphe/contracts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useRef, useState } from "react";
import { useForm } from "react-hook-form";
import { ApiError, callMessage } from "../../../lib/api/api-error.ts";
import { classNames } from "../../../lib/class-names.ts";
import { formatDay, formatLongDay, formatShortInstant } from "../../../lib/format/format-dates.ts";
import { lazyResolver } from "../../../lib/lazy-resolver.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Badge } from "../../../ui/badge/badge.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { ConfirmDialog } from "../../../ui/dialog/confirm-dialog.tsx";
import { RequiredNote } from "../../../ui/field/field.tsx";
import { PasswordField } from "../../../ui/field/password-field.tsx";
import { SkeletonRows } from "../../../ui/skeleton/skeleton.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { identityQuery } from "../../organisations/organisation-calls.ts";
import { usePasswordMinimum } from "../password-minimum.ts";
import { StrengthMeter } from "../strength-meter.tsx";
import { useLogOut, useSession } from "../use-session.ts";
import { FactorCards } from "./factor-cards.tsx";
import { SettingRow } from "./setting-row.tsx";
import { changePassword } from "./settings-calls.ts";
import { LoadFailure, SettingsLayout } from "./settings-layout.tsx";
import styles from "./settings.module.css";
import { sessionsQuery, useSessions } from "./use-sessions.ts";

export function SecurityPage() {
  return (
    <SettingsLayout title="Sécurité" lede="Comment vous vous connectez, et où vous l’êtes.">
      <FactorDay />
      <FactorCards />
      <PasswordCard />
      <SessionsCard />
    </SettingsLayout>
  );
}

function FactorDay() {
  const session = useSession();
  const { data } = useQuery(identityQuery);
  const by = session.state === "member" ? session.user.second_factor_by : undefined;
  if (by === undefined) return null;
  const day = formatLongDay(by);
  return (
    <Alert tone="warning" title={`À faire avant le ${day}`}>
      <p>
        {data?.name ?? "Votre organisation"} demande une clé d’accès ou une application
        d’authentification avant le {day}. À partir de ce jour, il faudra l’ajouter pour vous
        connecter, et vos clés d’API ne serviront plus sans elle. Si elle est aussi demandée avant
        chaque signature, il la faut déjà pour signer.
      </p>
    </Alert>
  );
}

const EMPTY = { old_password: "", new_password: "" };
const FIELDS = ["old_password", "new_password"] as const;

function passwordRules(minimum: number) {
  return lazyResolver<typeof EMPTY>(async () =>
    (await import("../form-rules.ts")).passwordRules(minimum),
  );
}

function PasswordCard() {
  const session = useSession();
  const username = session.state === "member" ? session.user.username : "";
  const minimum = usePasswordMinimum();
  const { form, failure, submit } = usePasswordChange(minimum);
  const { register, watch, formState } = form;
  const { errors, isSubmitting } = formState;
  return (
    <form
      className="card"
      noValidate
      aria-labelledby="titre-mot-de-passe"
      onSubmit={(event) => void submit(event)}
    >
      <div className="card__head">
        <h2 className="h2" id="titre-mot-de-passe">
          Mot de passe
        </h2>
      </div>
      <div className="card__body stack">
        {failure !== undefined && <Alert tone="danger">{failure}</Alert>}
        <RequiredNote fields="all" />
        {/* For password managers. */}
        <input type="text" autoComplete="username" value={username} readOnly hidden />
        <PasswordField
          label="Ancien mot de passe"
          required
          autoComplete="current-password"
          error={errors.old_password?.message}
          {...register("old_password")}
        />
        <div className="stack stack--sm">
          <PasswordField
            label="Nouveau mot de passe"
            required
            autoComplete="new-password"
            help={`${minimum} caractères au minimum.`}
            minLength={minimum}
            error={errors.new_password?.message}
            {...register("new_password")}
          />
          <StrengthMeter password={watch("new_password")} />
        </div>
      </div>
      <div className={classNames("card__foot", styles["save"])}>
        <p className={classNames(styles["status"], "small")}>Vos autres sessions seront fermées.</p>
        <Button type="submit" variant="primary" loading={isSubmitting}>
          Changer le mot de passe
        </Button>
      </div>
    </form>
  );
}

function usePasswordChange(minimum: number) {
  const client = useQueryClient();
  const [failure, setFailure] = useState<string>();
  const form = useForm({
    resolver: useMemo(() => passwordRules(minimum), [minimum]),
    defaultValues: EMPTY,
    mode: "onTouched",
  });
  const submit = form.handleSubmit(async (values) => {
    setFailure(undefined);
    try {
      await changePassword(values);
      form.reset(EMPTY);
      showToast("ok", "Mot de passe changé");
      void client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    } catch (error) {
      const messages = error instanceof ApiError ? error.fieldErrors : {};
      const refused = FIELDS.filter((name) => messages[name]);
      for (const [index, name] of refused.entries()) {
        form.setError(
          name,
          { type: "server", message: messages[name]?.join(" ") ?? "" },
          { shouldFocus: index === 0 },
        );
      }
      if (refused.length === 0)
        setFailure(callMessage(error, "Impossible de changer le mot de passe"));
    }
  });
  return { form, failure, submit };
}

type SessionRowProps = {
  readonly session: OwnSession;
  readonly ending: boolean;
  readonly onEnd: () => void;
};

function SessionRow({ session, ending, onEnd }: SessionRowProps) {
  const { device, current, created_at, last_used_at, remember_me, ip } = session;
  return (
    <SettingRow
      title={device}
      control={
        current ? (
          <Badge tone="info">Cette session</Badge>
        ) : (
          <Button
            size="sm"
            loading={ending}
            aria-label={`Fermer la session ${device}, ${formatShortInstant(last_used_at)}`}
            onClick={onEnd}
          >
            Fermer
          </Button>
        )
      }
    >
      <p className="num">
        {current ? (
          "Active maintenant"
        ) : (
          <time
            dateTime={last_used_at}
          >{`Dernière activité le ${formatShortInstant(last_used_at)}`}</time>
        )}
        {ip !== null && ` · ${ip}`}
      </p>
      <p>
        <time dateTime={created_at}>{`Ouverte le ${formatDay(created_at)}`}</time>
        {remember_me && " · Rester connecté"}
      </p>
    </SettingRow>
  );
}

const FAILURE = "Impossible de charger vos sessions";
type Question = "others" | "everywhere";

type SessionListProps = {
  readonly sessions: readonly OwnSession[];
  readonly endingId: string | undefined;
  readonly onEnd: (session: OwnSession) => void;
};

function SessionList({ sessions, endingId, onEnd }: SessionListProps) {
  return (
    <ul>
      {sessions.map((session) => (
        <li key={session.id} className={styles["item"]}>
          <SessionRow
            session={session}
            ending={endingId === session.id}
            onEnd={() => onEnd(session)}
          />
        </li>
      ))}
    </ul>
  );
}

function SessionsCard() {
  const { query, endOne, endOthers } = useSessions();
  const { logOut, isPending: leaving } = useLogOut();
  const [question, setQuestion] = useState<Question>();
  const title = useRef<HTMLHeadingElement>(null);
  const { data, error, refetch } = query;
  const others = data?.filter(({ current }) => !current) ?? [];

  const end = (session: OwnSession) => {
    // The pressed button disappears with its row.
    endOne.mutate(session.id, { onSuccess: () => title.current?.focus() });
  };
  const confirm = () => {
    endOthers.mutate(undefined, {
      onSuccess: () => (question === "everywhere" ? logOut() : undefined),
      onSettled: () => setQuestion(undefined),
    });
  };
  return (
    <section className="card" aria-labelledby="titre-sessions">
      <div className="card__head">
        <h2 className="h2" id="titre-sessions" tabIndex={-1} ref={title}>
          Sessions ouvertes
        </h2>
      </div>
      <div className="card__body">
        {data ? (
          <SessionList
            sessions={data}
            endingId={endOne.isPending ? endOne.variables : undefined}
            onEnd={end}
          />
        ) : error ? (
          <LoadFailure error={error} fallback={FAILURE} onRetry={() => void refetch()} />
        ) : (
          <SkeletonRows rows={2} label="Chargement de vos sessions" />
        )}
      </div>
      <div className={classNames("card__foot", styles["save"])}>
        {others.length > 0 && (
          <Button onClick={() => setQuestion("others")}>Fermer les autres sessions</Button>
        )}
        <Button onClick={() => setQuestion("everywhere")} loading={leaving}>
          Se déconnecter partout
        </Button>
      </div>
      {question && (
        <ConfirmDialog
          {...QUESTIONS[question]}
          busy={endOthers.isPending || leaving}
          onConfirm={confirm}
          onCancel={() => setQuestion(undefined)}
        />
      )}
    </section>
  );
}

const QUESTIONS = {
  others: {
    title: "Fermer les autres sessions\u202f?",
    message: "Vos autres appareils et navigateurs devront se connecter à nouveau.",
    secondary: "Cette session reste ouverte.",
    confirmLabel: "Fermer les sessions",
  },
  everywhere: {
    title: "Se déconnecter partout\u202f?",
    message: "Toutes vos sessions seront fermées, celle-ci comprise.",
    secondary: undefined,
    confirmLabel: "Se déconnecter",
  },
} as const;
