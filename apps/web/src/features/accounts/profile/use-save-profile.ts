import type { User } from "@paraphe/contracts";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError } from "../../../lib/api-error.ts";
import { callMessage } from "../../../lib/call-message.ts";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { sessionQuery } from "../use-session.ts";
import { type AvatarChange, saveProfile } from "./profile-calls.ts";
import type { ProfileForm, ProfileValues } from "../profile-fields.tsx";

/** Gives the way to keep a profile; the server's refusals go to their fields, or above the form. */
export function useSaveProfile(form: ProfileForm, onSaved: (user: User) => void) {
  const client = useQueryClient();
  const [failure, setFailure] = useState<string>();
  const [avatarError, setAvatarError] = useState<string>();

  const clear = () => {
    setFailure(undefined);
    setAvatarError(undefined);
  };
  const refuse = (error: unknown) => {
    const fields = error instanceof ApiError ? error.fieldErrors : {};
    const names = Object.keys(form.getValues()) as (keyof ProfileValues)[];
    const refused = names.filter((name) => fields[name]);
    for (const [index, name] of refused.entries()) {
      form.setError(name, { type: "server", message: fields[name]?.join(" ") ?? "" }, { shouldFocus: index === 0 });
    }
    setAvatarError(fields["avatar"]?.join(" "));
    if (refused.length === 0 && !fields["avatar"]) setFailure(callMessage(error, "Impossible d’enregistrer le profil"));
  };
  const save = async (values: ProfileValues, avatar: AvatarChange): Promise<void> => {
    clear();
    try {
      const user = await saveProfile(values, avatar);
      client.setQueryData(sessionQuery.queryKey, user);
      onSaved(user);
      showToast("ok", "Profil enregistré");
    } catch (error) {
      refuse(error);
    }
  };
  return { save, failure, avatarError, clear };
}
