import type { Template } from "@paraphe/contracts";
import { type FormEvent, useId } from "react";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { Dialog } from "../../../ui/dialog/dialog.tsx";
import { RequiredNote } from "../../../ui/field/required-note.tsx";
import { TextField } from "../../../ui/field/text-field.tsx";
import { LinkAction } from "../../../ui/link/link-action.tsx";
import { useSession } from "../../accounts/use-session.ts";
import { PersonInput } from "../prepare/person-input.tsx";
import { roleLegend } from "./template-words.ts";
import styles from "./use-template-dialog.module.css";
import { useRoleHolders } from "./use-role-holders.ts";

/** Fills each role of a template with somebody; the draft it makes opens at its last step. */
export function UseTemplateDialog({ template, onClose }: { template: Template; onClose: () => void }) {
  const form = useId();
  const casting = useRoleHolders(template);
  const { faults } = casting;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    casting.use();
  };
  return (
    <Dialog
      title={`Partir de «\u00a0${template.name}\u00a0»`}
      size="lg"
      sheet
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Annuler</Button>
          <Button variant="primary" type="submit" form={form} loading={casting.isMaking}>
            Créer le brouillon
          </Button>
        </>
      }
    >
      <form id={form} ref={casting.body} className={styles.form} onSubmit={submit} noValidate>
        <RequiredNote fields="all" />
        {faults["all"] ? <Alert tone="danger">{faults["all"]}</Alert> : null}
        <TextField
          label="Titre de l’enveloppe"
          required
          maxLength={200}
          value={casting.title}
          error={faults["title"]}
          onChange={(event) => casting.retitle(event.target.value)}
        />
        {template.roles.map((role, index) => (
          <RoleFields key={role.label} {...{ role, index, casting }} />
        ))}
      </form>
    </Dialog>
  );
}

type RoleFieldsProps = {
  readonly role: Template["roles"][number];
  readonly index: number;
  readonly casting: ReturnType<typeof useRoleHolders>;
};

/** Who holds one role. */
function RoleFields({ role, index, casting }: RoleFieldsProps) {
  const { holders, faults, fill } = casting;
  const session = useSession();
  const me = session.state === "member" ? session.user : null;
  return (
    <fieldset className={styles.role}>
      <legend>{roleLegend(role)}</legend>
      {(["fullName", "email"] as const).map((part) => (
        <PersonInput
          key={part}
          part={part}
          value={holders[index]?.[part] ?? ""}
          error={faults[`${index}.${part}`]}
          taken={() => holders}
          onChange={(change) => fill(index, change)}
          onLeave={() => undefined}
        />
      ))}
      {me ? (
        <div className={styles.me}>
          <LinkAction onClick={() => fill(index, { fullName: `${me.first_name} ${me.last_name}`.trim(), email: me.email })}>
            C’est moi
            <span className="sr">{`\u00a0: ${role.label}`}</span>
          </LinkAction>
        </div>
      ) : null}
    </fieldset>
  );
}
