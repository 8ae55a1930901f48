import { emailFault, nameFault, type Template } from "@paraphe/contracts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { ApiError } from "../../lib/api-error.ts";
import { callMessage } from "../../lib/call-message.ts";
import { shortHash } from "../../lib/short-hash.ts";
import { Alert } from "../../ui/alert/alert.tsx";
import { Button } from "../../ui/button/button.tsx";
import { Dialog } from "../../ui/dialog/dialog.tsx";
import { RequiredNote } from "../../ui/field/required-note.tsx";
import { TextField } from "../../ui/field/text-field.tsx";
import { LinkAction } from "../../ui/link/link-action.tsx";
import { useSession } from "../accounts/use-session.ts";
import { PersonInput } from "../prepare/person-input.tsx";
import { templateCalls } from "./template-calls.ts";
import { roleLegend } from "./template-words.ts";
import styles from "./use-template-dialog.module.css";

type Holder = { readonly fullName: string; readonly email: string; readonly phoneNumber: string | null };
type Faults = Readonly<Record<string, string>>;
const NOBODY: Holder = { fullName: "", email: "", phoneNumber: null };

/** Fills each role of a template with somebody; the draft it makes opens at its last step. */
export function UseTemplateDialog({ template, onClose }: { template: Template; onClose: () => void }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const session = useSession();
  const form = useId();
  const body = useRef<HTMLFormElement>(null);
  const [key] = useState(() => crypto.randomUUID());
  const [title, setTitle] = useState(template.title);
  const [holders, setHolders] = useState<readonly Holder[]>(() => template.roles.map(() => NOBODY));
  const [faults, setFaults] = useState<Faults>({});
  const fill = (index: number, part: Partial<Holder>) => {
    setHolders((all) => all.map((holder, at) => (at === index ? { ...holder, ...part } : holder)));
    forget(Object.keys(part).map((name) => `${index}.${name}`));
  };
  /** What is being corrected is no longer said to be wrong. */
  const forget = (names: readonly string[]) =>
    setFaults((before) => Object.fromEntries(Object.entries(before).filter(([name]) => !names.includes(name))));
  const refuse = (found: Faults) => {
    setFaults(found);
    requestAnimationFrame(() => body.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus());
  };
  const use = useMutation({
    mutationFn: () => {
      const people = holders.map(({ fullName, email, phoneNumber }, index) => ({
        role_index: index,
        full_name: fullName,
        email,
        phone_number: phoneNumber,
      }));
      // What is asked is in the key: after a refusal and a correction it is another request.
      return templateCalls.use(template.id, { title, people }, `${key}-${shortHash(JSON.stringify({ title, people }))}`);
    },
    onSuccess: async (draft) => {
      void client.invalidateQueries({ queryKey: ["envelopes"] });
      await navigate(`/signature/workflow/${draft.id}?etape=envoi`);
    },
    onError: (error) => refuse(faultsOf(error)),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = check(title, holders);
    if (Object.keys(found).length > 0) refuse(found);
    else use.mutate();
  };
  const me = session.state === "member" ? session.user : null;
  return (
    <Dialog
      title={`Partir de «\u00a0${template.name}\u00a0»`}
      size="lg"
      sheet
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Annuler</Button>
          <Button variant="primary" type="submit" form={form} loading={use.isPending}>
            Créer le brouillon
          </Button>
        </>
      }
    >
      <form id={form} ref={body} className={styles.form} onSubmit={submit} noValidate>
        <RequiredNote fields="all" />
        {faults["all"] ? <Alert tone="danger">{faults["all"]}</Alert> : null}
        <TextField
          label="Titre de l’enveloppe"
          required
          maxLength={200}
          value={title}
          error={faults["title"]}
          onChange={(event) => {
            setTitle(event.target.value);
            forget(["title"]);
          }}
        />
        {template.roles.map((role, index) => (
          <fieldset key={role.label} className={styles.role}>
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
        ))}
      </form>
    </Dialog>
  );
}

function check(title: string, holders: readonly Holder[]): Faults {
  const faults: Record<string, string> = title.trim() === "" ? { title: "Titre requis" } : {};
  holders.forEach((holder, index) => {
    const name = nameFault(holder.fullName);
    const email = emailFault(holder.email);
    if (name !== null) faults[`${index}.fullName`] = name;
    if (email !== null) faults[`${index}.email`] = email;
  });
  return faults;
}

/** The service names a person by their place in the list, which is that of their role. */
function faultsOf(error: unknown): Faults {
  const found = error instanceof ApiError ? Object.entries(error.fieldErrors) : [];
  const faults: Record<string, string> = {};
  for (const [path, [message = ""]] of found) {
    const match = /^(?:people|recipients)\.(\d+)\.(full_name|email)$/.exec(path);
    faults[match ? `${match[1]}.${match[2] === "email" ? "email" : "fullName"}` : path === "title" ? "title" : "all"] = message;
  }
  return found.length > 0 ? faults : { all: callMessage(error, "Le brouillon n’a pas pu être créé. Réessayez dans un instant.") };
}
