import type { User } from "@paraphe/contracts";
import { useState } from "react";
import { Alert } from "../../../ui/alert/alert.tsx";
import { RequiredNote } from "../../../ui/field/required-note.tsx";
import { AvatarPicker } from "../avatar-picker.tsx";
import { ProfileFields } from "../profile-fields.tsx";
import { LeaveGuard } from "../settings/leave-guard.tsx";
import { SaveBar } from "../settings/save-bar.tsx";
import { AddressCard } from "./address-card.tsx";
import { ConfirmAddress } from "./confirm-address.tsx";
import { ErrorSummary } from "./error-summary.tsx";
import { PhoneCard } from "./phone-card.tsx";
import type { AvatarChange } from "./profile-calls.ts";
import { PROFILE_ID_PREFIX, profileValues, useProfileForm } from "./profile-form.ts";
import { useSaveProfile } from "./use-save-profile.ts";

/** The profile as a form: what is changed is kept at « Enregistrer », and not before. */
export function ProfileCard({ user }: { readonly user: User }) {
  const form = useProfileForm(user);
  const [avatar, setAvatar] = useState<AvatarChange>("kept");
  // What is there now: each save brings back the profile as the server keeps it.
  const [kept, setKept] = useState(user);
  const show = (saved: User) => {
    setKept(saved);
    setAvatar("kept");
    form.reset(profileValues(saved));
  };
  const { save, failure, avatarError, clear } = useSaveProfile(form, show);
  const { errors, isDirty, isSubmitting, isSubmitted } = form.formState;
  const dirty = isDirty || avatar !== "kept";
  const name = form.watch(["first_name", "last_name"]).join(" ").trim() || user.username;
  const submit = form.handleSubmit((values) => save(values, avatar));
  return (
    <div className="stack stack--lg">
      <ConfirmAddress onChanged={setKept} />
      <form className="card" noValidate aria-label="Mon compte" onSubmit={(event) => void submit(event)}>
        <div className="card__body stack stack--lg">
          {failure !== undefined && <Alert tone="danger">{failure}</Alert>}
          {isSubmitted && <ErrorSummary errors={errors} />}
          <RequiredNote fields="most" />
          <AvatarPicker
            name={name}
            chooseLabel="Changer l’image"
            image={avatar === "kept" ? kept.avatar : null}
            file={avatar instanceof File ? avatar : undefined}
            error={avatarError}
            onFile={(file) => setAvatar(file ?? (kept.avatar === null ? "kept" : "removed"))}
          />
          <ProfileFields form={form} idPrefix={PROFILE_ID_PREFIX} email={kept.email} />
        </div>
        <SaveBar
          dirty={dirty}
          saving={isSubmitting}
          onCancel={() => {
            clear();
            show(kept);
          }}
        />
        <LeaveGuard dirty={dirty && !isSubmitting} />
      </form>
      <AddressCard key={kept.email} email={kept.email} />
      <PhoneCard key={kept.phone_number} user={kept} onVerified={setKept} />
    </div>
  );
}
