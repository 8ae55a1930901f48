import { zodResolver } from "@hookform/resolvers/zod";
import { type Recipient, correctRecipientRequest } from "@paraphe/contracts";
import { ofName } from "@paraphe/kernel/french-words";
import { useRef, useState } from "react";
import { useForm } from "react-hook-form";
import { ApiError, callMessage } from "../../../lib/api/api-error.ts";
import { FormDialog } from "../../../ui/dialog/form-dialog.tsx";
import { TextField } from "../../../ui/field/field.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { envelopeCalls, useFreshDetail } from "../envelope-calls.ts";
import { describeNotifying } from "../reached-words.ts";

type Props = {
  readonly envelopeId: string;
  readonly recipient: Recipient;
  readonly isFixed?: boolean;
  readonly onClose: () => void;
};
const FIELDS = ["email", "full_name", "phone_number"] as const;

export function CorrectDialog({ envelopeId, recipient, isFixed = false, onClose }: Props) {
  const { form, failure, submit } = useCorrection({ envelopeId, recipient, onClose });
  const { register, formState } = form;
  const { errors, isSubmitting, isDirty } = formState;
  const first = useRef<HTMLInputElement | null>(null);
  const focused = (part: "email" | "phone_number") => {
    const input = register(part);
    const ref = (element: HTMLInputElement | null) => {
      input.ref(element);
      first.current = element;
    };
    return { ...input, ref };
  };
  return (
    <FormDialog
      {...{ failure, onClose }}
      title={isFixed ? "Corriger le téléphone" : "Corriger l’adresse"}
      sheet
      action="Enregistrer"
      isBusy={isSubmitting}
      isBlocked={!isDirty}
      initialFocus={first}
      onSubmit={() => void submit()}
    >
      {isFixed ? (
        <p>Le circuit de l’organisation fixe le nom et l’adresse.</p>
      ) : (
        <>
          <OldLinkNote name={recipient.full_name} />
          <TextField
            label="Email"
            required
            type="email"
            autoComplete="off"
            error={errors.email?.message}
            {...focused("email")}
          />
          <TextField
            label="Nom"
            required
            autoComplete="off"
            error={errors.full_name?.message}
            {...register("full_name")}
          />
        </>
      )}
      <TextField
        label="Téléphone"
        type="tel"
        autoComplete="off"
        optional
        error={errors.phone_number?.message}
        {...(isFixed ? focused : register)("phone_number")}
      />
    </FormDialog>
  );
}

function OldLinkNote({ name }: { readonly name: string }) {
  return (
    <p>
      Le lien envoyé à l’ancienne adresse ne fonctionnera plus.{" "}
      {describeNotifying(`${name} recevra une nouvelle invitation à l’adresse corrigée.`, name)}
    </p>
  );
}

function useCorrection({ envelopeId, recipient, onClose }: Props) {
  const show = useFreshDetail();
  const [failure, setFailure] = useState<string>();
  const form = useForm({
    resolver: zodResolver(correctRecipientRequest),
    defaultValues: {
      full_name: recipient.full_name,
      email: recipient.email,
      phone_number: recipient.phone_number ?? "",
    },
    mode: "onTouched",
  });
  const submit = form.handleSubmit(async (values) => {
    setFailure(undefined);
    try {
      show(await envelopeCalls.correctRecipient(envelopeId, recipient.id, values));
      showToast(
        "ok",
        values.email === recipient.email
          ? "Coordonnées enregistrées"
          : `Adresse ${ofName(values.full_name ?? recipient.full_name)} corrigée`,
      );
      onClose();
    } catch (error) {
      const messages = error instanceof ApiError ? error.fieldErrors : {};
      const refused = FIELDS.filter((name) => messages[name]);
      for (const [index, name] of refused.entries())
        form.setError(
          name,
          { type: "server", message: messages[name]?.join(" ") ?? "" },
          { shouldFocus: index === 0 },
        );
      if (refused.length === 0)
        setFailure(callMessage(error, "L’adresse n’a pas été corrigée. Réessayez."));
    }
  });
  return { form, failure, submit };
}
