import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { User } from "@paraphe/contracts";
import { useState } from "react";
import { type FieldErrors, useForm } from "react-hook-form";
import { AccessibilityCard, AppearanceCard } from "../settings/appearance-card.tsx";
import { DataCard, StorageCard } from "../settings/data-card.tsx";
import { FormSkeleton, LoadFailure, SettingsLayout } from "../settings/settings-layout.tsx";
import {
  loadProfile,
  type AvatarChange,
  saveProfile,
  AddressCard,
  ConfirmAddress,
  OwnAddressCard,
  PhoneCard,
} from "./contact-cards.tsx";
import { ApiError, callMessage } from "../../../lib/api/api-error.ts";
import { lazyResolver } from "../../../lib/lazy-resolver.ts";
import { formatPhone } from "../../../lib/format/slugify.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { RequiredNote } from "../../../ui/field/field.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { AvatarPicker } from "../avatar/avatar-picker.tsx";
import { ProfileFields, type ProfileForm, type ProfileValues } from "../profile-fields.tsx";
import { LeaveGuard } from "../settings/leave-guard.tsx";
import { SaveBar } from "../settings/save-bar.tsx";
import { sessionQuery } from "../use-session.ts";

export function ProfilePage() {
  const profile = useQuery({
    queryKey: ["profile"],
    queryFn: ({ signal }) => loadProfile(signal),
    // Another tab's save does not replace a form being filled in.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  return (
    <SettingsLayout title="Mon compte" lede="Votre nom figure sur les certificats de signature.">
      {profile.data ? (
        <ProfileCard user={profile.data} />
      ) : profile.error ? (
        <LoadFailure
          error={profile.error}
          fallback="Impossible de charger votre profil"
          onRetry={() => void profile.refetch()}
        />
      ) : (
        <FormSkeleton lines={4} label="Chargement de votre profil" />
      )}
      <AppearanceCard />
      <AccessibilityCard />
      <StorageCard />
      <DataCard />
    </SettingsLayout>
  );
}

function ErrorSummary({ errors }: { readonly errors: FieldErrors<ProfileValues> }) {
  const entries = Object.entries(errors) as [keyof ProfileValues, { message?: string }][];
  if (entries.length === 0) return null;
  return (
    <Alert tone="danger" title="Erreurs de validation">
      <ul>
        {entries.map(([field, error]) => (
          <li key={field}>
            <a
              href={`#${profileFieldId(field)}`}
              onClick={(event) => {
                event.preventDefault();
                document.getElementById(profileFieldId(field))?.focus();
              }}
            >
              {error.message}
            </a>
          </li>
        ))}
      </ul>
    </Alert>
  );
}

function useSaveProfile(form: ProfileForm, onSaved: (user: User) => void) {
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
      form.setError(
        name,
        { type: "server", message: fields[name]?.join(" ") ?? "" },
        { shouldFocus: index === 0 },
      );
    }
    setAvatarError(fields["avatar"]?.join(" "));
    if (refused.length === 0 && !fields["avatar"])
      setFailure(callMessage(error, "Impossible d’enregistrer le profil"));
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

function ProfileCard({ user }: { readonly user: User }) {
  const form = useProfileForm(user);
  const [avatar, setAvatar] = useState<AvatarChange>("kept");
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
      {kept.email_confirmed ? null : <OwnAddressCard id={kept.id} email={kept.email} />}
      <form
        className="card"
        noValidate
        aria-label="Mon compte"
        onSubmit={(event) => void submit(event)}
      >
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
      <AddressCard key={kept.email} />
      <PhoneCard key={kept.phone_number} user={kept} onVerified={setKept} />
    </div>
  );
}

const PROFILE_ID_PREFIX = "profil";

const profileRules = lazyResolver<ProfileValues>(
  async () => (await import("../form-rules.ts")).profileRules,
);

function profileFieldId(name: keyof ProfileValues): string {
  return `${PROFILE_ID_PREFIX}-${name}`;
}

function profileValues(user: User): ProfileValues {
  return {
    first_name: user.first_name,
    last_name: user.last_name,
    birth_date: user.birth_date ?? "",
    gender: user.gender === "Homme" || user.gender === "Femme" ? user.gender : "",
    phone_number: formatPhone(user.phone_number ?? ""),
    address: user.address ?? "",
  };
}

function useProfileForm(user: User): ProfileForm {
  return useForm<ProfileValues, unknown, ProfileValues>({
    resolver: profileRules,
    defaultValues: profileValues(user),
    mode: "onTouched",
  });
}
