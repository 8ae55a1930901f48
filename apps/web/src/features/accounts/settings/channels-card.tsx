import {
  type NotificationChannels,
  type NotificationChoice,
  type NotificationsAnswer,
  notificationsRequest,
  type User,
} from "@paraphe/contracts";
import { type ReactNode, useId } from "react";
import { formatPhone } from "../../../lib/format-phone.ts";
import { useServiceRules } from "../../../lib/service-rules.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import type { IconName } from "../../../ui/icon/icon-paths.ts";
import { Icon } from "../../../ui/icon/icon.tsx";
import { TextLink } from "../../../ui/link/text-link.tsx";
import { Switch } from "../../../ui/switch/switch.tsx";
import { LeaveGuard } from "./leave-guard.tsx";
import { PushWords } from "./push-words.tsx";
import { RhythmFields } from "./rhythm-fields.tsx";
import { SaveBar } from "./save-bar.tsx";
import { SettingRow } from "./setting-row.tsx";
import styles from "./settings.module.css";
import { TrialButton } from "./trial-button.tsx";
import { useChannels } from "./use-channels.ts";
import { usePush } from "./use-push.ts";

type Props = { readonly user: User; readonly loaded: NotificationsAnswer };

/** Email, SMS, push: at least one. */
export function ChannelsCard({ user, loaded: { sms_offered: smsOffered, waiting, ...choice } }: Props) {
  const id = useId();
  const { mail } = useServiceRules();
  const push = usePush(user.id);
  const { values, kept, choose, cancel, save, saving, failure, dirty } = useChannels(choice, push);
  const fault = notificationsRequest.safeParse(values).error?.issues[0]?.message;
  const phone = user.phone_number ?? "";
  const channel = { id, values, onChoose: choose };
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
          <div>
            <ChannelRow {...channel} name="email" title="Email" icon="mail" isBarred={!mail}>
              <p>{mail ? user.email : "Ce service n’envoie pas d’email."}</p>
            </ChannelRow>
            <ChannelRow {...channel} name="sms" title="SMS" icon="phone" isBarred={!smsOffered || !user.phone_verified}>
              <p>{smsOffered ? <PhoneWords phone={phone} verified={user.phone_verified} /> : "Ce service n’envoie pas de SMS."}</p>
            </ChannelRow>
            <ChannelRow
              {...channel}
              name="push"
              title="Push"
              icon="bell"
              isBarred={push.state === "unsupported" || push.state === "denied"}
            >
              <PushWords push={push} chosen={kept.push} />
            </ChannelRow>
          </div>
          {fault !== undefined && (
            <p className={styles["error"]} id={`${id}-erreur`} role="alert">
              <Icon name="alert" />
              {fault}
            </p>
          )}
        </fieldset>
        <RhythmFields values={values} waiting={waiting} onChange={choose} />
        {/* It goes by what is kept, not by what is only chosen. */}
        {!dirty && <TrialButton />}
      </div>
      <SaveBar dirty={dirty} saving={saving} blocked={fault !== undefined} onCancel={cancel} />
      <LeaveGuard dirty={dirty && !saving} />
    </form>
  );
}

type ChannelRowProps = {
  /** Before the ids of the row: its own name follows. */
  readonly id: string;
  readonly name: keyof NotificationChannels;
  readonly title: string;
  readonly icon: IconName;
  /** It cannot be chosen now; what was chosen before can always be given up. */
  readonly isBarred?: boolean;
  readonly values: NotificationChoice;
  readonly onChoose: (values: NotificationChoice) => void;
  readonly children: ReactNode;
};

/** One channel: its switch, named by its title and described by its words. */
function ChannelRow({ id, name, title, icon, isBarred = false, values, onChoose, children }: ChannelRowProps) {
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
          . Vérifiez ce numéro pour recevoir des SMS. <TextLink to="/profile">Vérifier ce numéro</TextLink>
        </>
      )}
    </>
  );
}
