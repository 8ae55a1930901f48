import { emailFault, nameFault, type Template, titleFault } from "@paraphe/contracts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import { ApiError } from "../../../lib/api-error.ts";
import { callMessage } from "../../../lib/call-message.ts";
import { shortHash } from "../../../lib/short-hash.ts";
import { templateCalls } from "./template-calls.ts";
import { type Faults, useFormFaults } from "./use-form-faults.ts";

export type Holder = { readonly fullName: string; readonly email: string; readonly phoneNumber: string | null };
const NOBODY: Holder = { fullName: "", email: "", phoneNumber: null };

/** Who holds each role of a template, in the order of its roles, and the title; `use` makes the draft and opens it at its last step. */
export function useRoleHolders(template: Template) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const { body, faults, refuse, forget } = useFormFaults();
  const [key] = useState(() => crypto.randomUUID());
  const [title, setTitle] = useState(template.title);
  const [holders, setHolders] = useState<readonly Holder[]>(() => template.roles.map(() => NOBODY));
  const draft = useMutation({
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
      setHolders((all) => all.map((holder, at) => (at === index ? { ...holder, ...part } : holder)));
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
