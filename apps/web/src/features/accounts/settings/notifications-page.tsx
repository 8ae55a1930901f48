import {
  type NotificationChannels,
  type NotificationChoice,
  type NotificationsAnswer,
  type User,
  notificationsRequest,
} from "@paraphe/contracts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import { callMessage } from "../../../lib/api/api-error.ts";
import { formatTime } from "../../../lib/format/format-dates.ts";
import { plural } from "../../../lib/format/format-numbers.ts";
import { useServiceRules } from "../../../lib/api/service-rules.ts";
import { formatPhone } from "../../../lib/format/slugify.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { Icon, type IconName } from "../../../ui/icon/icon.tsx";
import { LinkAction, TextLink } from "../../../ui/link/link-action.tsx";
import { Switch } from "../../../ui/switch/switch.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { sessionQuery, useSession } from "../use-session.ts";
import { LeaveGuard } from "./leave-guard.tsx";
import { SaveBar } from "./save-bar.tsx";
import { SettingRow } from "./setting-row.tsx";
import { loadChannels, saveChannels, sendTrial } from "./settings-calls.ts";
import { FormSkeleton, LoadFailure, SettingsLayout } from "./settings-layout.tsx";
import styles from "./settings.module.css";
import { usePush } from "./use-push.ts";

const LEDE =
  "Choisissez comment nous vous prévenons\u00a0: document à signer, signature reçue, échéance proche.";

export function NotificationsPage() {
  const session = useSession();
  const channels = useQuery({
    queryKey: ["channels"],
    queryFn: ({ signal }) => loadChannels(signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  return (
    <SettingsLayout title="Notifications" lede={LEDE}>
      {channels.data && session.state === "member" ? (
        <ChannelsCard user={session.user} loaded={channels.data} />
      ) : channels.error ? (
        <LoadFailure
          error={channels.error}
          fallback="Impossible de charger vos préférences"
          onRetry={() => void channels.refetch()}
        />
      ) : (
        <FormSkeleton lines={3} label="Chargement de vos préférences" />
      )}
    </SettingsLayout>
  );
}

type RhythmFieldsProps = {
  readonly values: NotificationChoice;
  readonly waiting: NotificationsAnswer["waiting"];
  readonly onChange: (values: NotificationChoice) => void;
};

function RhythmFields({ values, waiting, onChange }: RhythmFieldsProps) {
  const id = useId();
  const { mail } = useServiceRules();
  const row = (name: "quiet_hours" | "daily_summary", title: string, words: ReactNode) => (
    <SettingRow
      title={title}
      titleId={`${id}-${name}`}
      control={
        <Switch
          aria-labelledby={`${id}-${name}`}
          aria-describedby={`${id}-${name}-texte`}
          checked={values[name]}
          onChange={(event) => onChange({ ...values, [name]: event.target.checked })}
        />
      }
    >
      <p id={`${id}-${name}-texte`}>{words}</p>
    </SettingRow>
  );
  return (
    <fieldset className={styles["rhythm"]}>
      <legend className="sr">Moment des notifications</legend>
      {row(
        "quiet_hours",
        "Heures calmes 20\u00a0h–8\u00a0h",
        `Ce qui n’est pas urgent attend 8\u00a0h, heure de Paris. Les documents à signer${mail ? " et les codes" : ""} arrivent toujours aussitôt.`,
      )}
      {mail &&
        row(
          "daily_summary",
          "Résumé quotidien",
          "Un seul email par jour, à 8\u00a0h, au lieu d’un par événement. Aucun s’il ne s’est rien passé.",
        )}
      {waiting !== null && (
        <SettingRow
          title={plural(waiting.count, "message en attente", "messages en attente")}
          control={null}
        >
          <p>{`${waiting.count > 1 ? "Seront envoyés" : "Sera envoyé"} à ${formatTime(waiting.until)}`}</p>
        </SettingRow>
      )}
    </fieldset>
  );
}

const NAMES = { email: "email", sms: "SMS", push: "push" } as const;

function TrialButton() {
  const [sending, setSending] = useState(false);
  const send = async (): Promise<void> => {
    setSending(true);
    try {
      const { channels } = await sendTrial();
      showToast(
        "ok",
        `Notification d’essai envoyée par ${channels.map((name) => NAMES[name]).join(", ")}`,
      );
    } catch (error) {
      showToast("err", callMessage(error, "Impossible d’envoyer la notification d’essai"));
    }
    setSending(false);
  };
  return (
    <Button loading={sending} onClick={() => void send()}>
      Envoyer une notification d’essai
    </Button>
  );
}

type PushStatusProps = {
  readonly push: ReturnType<typeof usePush>;
  /** « Push » is saved, though another browser may be the subscribed one. */
  readonly chosen: boolean;
};

function PushStatus({ push, chosen }: PushStatusProps) {
  const { state, failure, busy, enable, disable } = push;
  return (
    <>
      <p>{WORDS[state ?? "off"](chosen)}</p>
      {state === "denied" && (
        <p>Autorisez-les pour ce site dans les réglages du navigateur, puis revenez ici.</p>
      )}
      {failure !== undefined && (
        <p role="alert" style={{ color: "var(--danger)" }}>
          {failure}
        </p>
      )}
      {chosen && state === "off" && (
        <LinkAction aria-disabled={busy || undefined} onClick={() => void enable()}>
          Activer sur ce navigateur
        </LinkAction>
      )}
      {chosen && state === "on" && (
        <LinkAction aria-disabled={busy || undefined} onClick={() => void disable()}>
          Désactiver sur ce navigateur
        </LinkAction>
      )}
    </>
  );
}

const WORDS = {
  unsupported: () => "Ce navigateur ne sait pas recevoir de notifications.",
  denied: () => "Les notifications sont bloquées par votre navigateur.",
  off: (chosen: boolean) => (chosen ? "Pas sur ce navigateur" : "Sur ce navigateur"),
  on: () => "Sur ce navigateur",
} as const;

const CHANNEL_NAMES = ["email", "sms", "push", "quiet_hours", "daily_summary"] as const;

/** Saving « Push » subscribes this browser; giving it up unsubscribes. */
function useChannels(initial: NotificationChoice, push: ReturnType<typeof usePush>) {
  const client = useQueryClient();
  const [kept, setKept] = useState(initial);
  const [values, setValues] = useState(initial);
  const [saving, setSaving] = useState(false);
  const [failure, setFailure] = useState<string>();
  const dirty = CHANNEL_NAMES.some((name) => values[name] !== kept[name]);

  const put = async () => {
    const saved = await saveChannels(values);
    const { email, sms, push: pushed } = saved;
    client.setQueryData(sessionQuery.queryKey, (user) =>
      user ? { ...user, notifications: { email, sms, push: pushed } } : user,
    );
    // The server may have released waiting messages.
    void client.invalidateQueries({ queryKey: ["channels"] });
    setKept(saved);
    setValues(saved);
    showToast("ok", "Préférences enregistrées");
    if (kept.push && !saved.push && push.state === "on") await push.disable();
  };
  const save = async (): Promise<void> => {
    setSaving(true);
    setFailure(undefined);
    try {
      // Browsers ask for permission only during a press; without it nothing is saved.
      const reaches = !values.push || kept.push || push.state === "on" || (await push.enable());
      if (reaches) await put();
      else setValues({ ...values, push: false });
    } catch (error) {
      setFailure(callMessage(error, "Impossible d’enregistrer les préférences"));
    }
    setSaving(false);
  };
  const cancel = () => {
    setFailure(undefined);
    setValues(kept);
  };
  return { values, kept, choose: setValues, cancel, save, saving, failure, dirty };
}

type ChannelsCardProps = { readonly user: User; readonly loaded: NotificationsAnswer };

/** At least one channel must stay on. */
function ChannelsCard({
  user,
  loaded: { sms_offered: smsOffered, waiting, ...choice },
}: ChannelsCardProps) {
  const id = useId();
  const push = usePush(user.id);
  const { values, kept, choose, cancel, save, saving, failure, dirty } = useChannels(choice, push);
  const fault = notificationsRequest.safeParse(values).error?.issues[0]?.message;
  return (
    <form
      className="card"
      noValidate
      aria-label="Notifications"
      onSubmit={(event) => {
        event.preventDefault();
        if (fault === undefined && !saving) void save();
      }}
    >
      <div className="card__body">
        {failure !== undefined && <Alert tone="danger">{failure}</Alert>}
        <fieldset aria-describedby={fault === undefined ? undefined : `${id}-erreur`}>
          <legend className="sr">Canaux de notification</legend>
          <ChannelRows
            {...{ id, values, user, push, smsOffered }}
            onChoose={choose}
            pushSaved={kept.push}
          />
          {fault !== undefined && (
            <p className={styles["error"]} id={`${id}-erreur`} role="alert">
              <Icon name="alert" />
              {fault}
            </p>
          )}
        </fieldset>
        <RhythmFields values={values} waiting={waiting} onChange={choose} />
        {/* The trial uses the saved channels. */}
        {!dirty && <TrialButton />}
      </div>
      <SaveBar dirty={dirty} saving={saving} blocked={fault !== undefined} onCancel={cancel} />
      <LeaveGuard dirty={dirty && !saving} />
    </form>
  );
}

type ChannelRowsProps = Pick<ChannelRowProps, "id" | "values" | "onChoose"> & {
  readonly user: User;
  readonly push: ReturnType<typeof usePush>;
  readonly pushSaved: boolean;
  readonly smsOffered: boolean;
};

function ChannelRows({ user, push, pushSaved, smsOffered, ...channel }: ChannelRowsProps) {
  const { mail } = useServiceRules();
  return (
    <div>
      <ChannelRow {...channel} name="email" title="Email" icon="mail" isBarred={!mail}>
        <p>{mail ? user.email : "Ce service n’envoie pas d’email."}</p>
      </ChannelRow>
      <ChannelRow
        {...channel}
        name="sms"
        title="SMS"
        icon="phone"
        isBarred={!smsOffered || !user.phone_verified}
      >
        <p>
          {smsOffered ? (
            <PhoneWords phone={user.phone_number ?? ""} verified={user.phone_verified} />
          ) : (
            "Ce service n’envoie pas de SMS."
          )}
        </p>
      </ChannelRow>
      <ChannelRow
        {...channel}
        name="push"
        title="Push"
        icon="bell"
        isBarred={push.state === "unsupported" || push.state === "denied"}
      >
        <PushStatus push={push} chosen={pushSaved} />
      </ChannelRow>
    </div>
  );
}

type ChannelRowProps = {
  readonly id: string;
  readonly name: keyof NotificationChannels;
  readonly title: string;
  readonly icon: IconName;
  /** Can be switched off, but not on. */
  readonly isBarred?: boolean;
  readonly values: NotificationChoice;
  readonly onChoose: (values: NotificationChoice) => void;
  readonly children: ReactNode;
};

function ChannelRow({
  id,
  name,
  title,
  icon,
  isBarred = false,
  values,
  onChoose,
  children,
}: ChannelRowProps) {
  return (
    <SettingRow
      title={title}
      titleId={`${id}-${name}`}
      icon={icon}
      control={
        <Switch
          aria-labelledby={`${id}-${name}`}
          aria-describedby={`${id}-${name}-texte`}
          checked={values[name]}
          disabled={isBarred && !values[name]}
          onChange={(event) => onChoose({ ...values, [name]: event.target.checked })}
        />
      }
    >
      <div id={`${id}-${name}-texte`}>{children}</div>
    </SettingRow>
  );
}

function PhoneWords({ phone, verified }: { readonly phone: string; readonly verified: boolean }) {
  if (phone === "")
    return (
      <>
        Ajoutez un numéro pour recevoir des SMS. <TextLink to="/profile">Ajouter</TextLink>
      </>
    );
  return (
    <>
      <span className="num">{formatPhone(phone)}</span>
      {!verified && (
        <>
          . Vérifiez ce numéro pour recevoir des SMS.{" "}
          <TextLink to="/profile">Vérifier ce numéro</TextLink>
        </>
      )}
    </>
  );
}
