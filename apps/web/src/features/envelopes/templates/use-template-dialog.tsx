import { emailFault, nameFault, type Template, titleFault } from "@paraphe/contracts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { useNavigate } from "react-router";
import { ApiError, callMessage } from "../../../lib/api/api-error.ts";
import { shortHash } from "../../../lib/format/slugify.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { Dialog } from "../../../ui/dialog/dialog.tsx";
import { RequiredNote, TextField } from "../../../ui/field/field.tsx";
import { LinkAction } from "../../../ui/link/link-action.tsx";
import { useSession } from "../../accounts/use-session.ts";
import { PersonInput } from "../prepare/recipients/person-input.tsx";
import { type Faults, roleLegend, templateCalls, useFormFaults } from "./use-templates.ts";
import styles from "./use-template-dialog.module.css";

type Holder = {
  readonly fullName: string;
  readonly email: string;
  readonly phoneNumber: string | null;
};
const NOBODY: Holder = { fullName: "", email: "", phoneNumber: null };

/** `use` makes the draft and opens its last step. */
function useRoleHolders(template: Template) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const { body, faults, refuse, forget } = useFormFaults();
  const [key] = useState(() => crypto.randomUUID());
  // Its own title may name whom it was first written for.
  const [title, setTitle] = useState(template.name);
  const [holders, setHolders] = useState<readonly Holder[]>(() => template.roles.map(() => NOBODY));
  const draft = useMutation({
    mutationFn: () => {
      const people = holders.map(({ fullName, email, phoneNumber }, index) => ({
        role_index: index,
        full_name: fullName,
        email,
        phone_number: phoneNumber,
      }));
      // The key includes the body, because a corrected body is another request.
      return templateCalls.use(
        template.id,
        { title, people },
        `${key}-${shortHash(JSON.stringify({ title, people }))}`,
      );
    },
    onSuccess: async ({ id }) => {
      void client.invalidateQueries({ queryKey: ["envelopes"] });
      await navigate(`/signature/workflow/${id}?etape=envoi`);
    },
    onError: (error) => refuse(faultsOf(error)),
  });
  return {
    body,
    faults,
    title,
    retitle(typed: string) {
      setTitle(typed);
      forget("title");
    },
    holders,
    fill(index: number, part: Partial<Holder>) {
      setHolders((all) =>
        all.map((holder, at) => (at === index ? { ...holder, ...part } : holder)),
      );
      forget(...Object.keys(part).map((name) => `${index}.${name}`));
    },
    use() {
      const found = check(title, holders);
      if (Object.keys(found).length > 0) refuse(found);
      else draft.mutate();
    },
    isMaking: draft.isPending,
  };
}

function check(title: string, holders: readonly Holder[]): Faults {
  const fault = titleFault(title);
  const faults: Record<string, string> = fault === null ? {} : { title: fault };
  holders.forEach((holder, index) => {
    const name = nameFault(holder.fullName);
    const email = emailFault(holder.email);
    if (name !== null) faults[`${index}.fullName`] = name;
    if (email !== null) faults[`${index}.email`] = email;
  });
  return faults;
}

/** The service names a person by the index of their role. */
function faultsOf(error: unknown): Faults {
  const found = error instanceof ApiError ? Object.entries(error.fieldErrors) : [];
  const faults: Record<string, string> = {};
  for (const [path, [message = ""]] of found) {
    const match = /^(?:people|recipients)\.(\d+)\.(full_name|email)$/.exec(path);
    faults[
      match
        ? `${match[1]}.${match[2] === "email" ? "email" : "fullName"}`
        : path === "title"
          ? "title"
          : "all"
    ] = message;
  }
  return found.length > 0
    ? faults
    : { all: callMessage(error, "Le brouillon n’a pas pu être créé. Réessayez dans un instant.") };
}

export function UseTemplateDialog({
  template,
  onClose,
}: {
  template: Template;
  onClose: () => void;
}) {
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
        <CircuitWords {...{ template }} />
        {template.roles.map((role, index) => (
          <RoleFields key={role.label} {...{ role, index, casting }} />
        ))}
      </form>
    </Dialog>
  );
}

function CircuitWords({ template }: { readonly template: Template }) {
  const { circuit, lost_circuit: lost, roles } = template;
  const quoted = `«\u00a0${circuit?.name ?? lost}\u00a0»`;
  if (lost !== undefined)
    return (
      <p className="muted">{`Le circuit ${quoted} a été supprimé\u00a0: indiquez toutes les personnes.`}</p>
    );
  if (circuit === null) return null;
  return (
    <p className="muted">
      {roles.length === 0
        ? `Le circuit ${quoted} désigne lui-même les personnes.`
        : `Indiquez les personnes que le circuit ${quoted} ne désigne pas lui-même.`}
    </p>
  );
}

type RoleFieldsProps = {
  readonly role: Template["roles"][number];
  readonly index: number;
  readonly casting: ReturnType<typeof useRoleHolders>;
};

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
          <LinkAction
            onClick={() =>
              fill(index, { fullName: `${me.first_name} ${me.last_name}`.trim(), email: me.email })
            }
          >
            C’est moi
            <span className="sr">{`\u00a0: ${role.label}`}</span>
          </LinkAction>
        </div>
      ) : null}
    </fieldset>
  );
}
