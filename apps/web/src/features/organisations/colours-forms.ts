import {
  checkLogo,
  type Colour,
  hasContrast,
  LOGO_FAULTS,
  MAX_LOGO_BYTES,
  organisationMails,
  type OrganisationSettings,
  parseColour,
} from "@paraphe/contracts";
import { toBase64 } from "@paraphe/kernel/bytes";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError } from "../../lib/api/api-error.ts";
import { saveAppearance, saveMails, settingsQuery } from "./organisation-calls.ts";

/** « #2A3F9D », the colour of the buttons until another is chosen: `themes.css`. */
export const OWN_COLOUR: Colour = "#2a3f9d";

/** `address` shows the logo; `base64` is there while its file is not saved. */
type ChosenLogo = { readonly address: string; readonly base64?: string };

/** `failure`: a refusal that belongs to no field. */
function useSave(onSaved: (settings: OrganisationSettings) => void) {
  const client = useQueryClient();
  const [failure, setFailure] = useState<unknown>();
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const [saving, setSaving] = useState(false);
  const show = (saved: OrganisationSettings) => {
    setFailure(undefined);
    setErrors({});
    client.setQueryData(settingsQuery.queryKey, saved);
    onSaved(saved);
  };
  const save = async (call: () => Promise<OrganisationSettings>): Promise<boolean> => {
    setFailure(undefined);
    setErrors({});
    setSaving(true);
    try {
      show(await call());
      return true;
    } catch (error) {
      const refused = error instanceof ApiError ? Object.entries(error.fieldErrors) : [];
      if (refused.length === 0) setFailure(error);
      else setErrors(Object.fromEntries(refused.map(([name, words]) => [name, words.join(" ")])));
      return false;
    } finally {
      setSaving(false);
    }
  };
  return { failure, errors, setErrors, saving, show, save };
}

const typedColour = ({ appearance }: OrganisationSettings) =>
  appearance.colour?.toUpperCase() ?? "";
const storedLogo = ({ appearance: { logo } }: OrganisationSettings): ChosenLogo | null =>
  logo === null ? null : { address: logo };

/** `shown`: the last colour on which white text is legible. */
export function useAppearanceForm(settings: OrganisationSettings) {
  const [typed, setTyped] = useState(() => typedColour(settings));
  const [shown, setShown] = useState<Colour>(settings.appearance.colour ?? OWN_COLOUR);
  /** Undefined: the stored logo, whose address changes with each version. */
  const [chosen, setChosen] = useState<ChosenLogo | null>();
  const form = useSave((saved) => {
    setTyped(typedColour(saved));
    setShown(saved.appearance.colour ?? OWN_COLOUR);
    setChosen(undefined);
  });
  const logo = chosen === undefined ? storedLogo(settings) : chosen;
  const colour = typed.trim() === "" ? OWN_COLOUR : parseColour(typed);
  const isRefused = colour === null || !hasContrast(colour);
  const type = (text: string) => {
    setTyped(text);
    form.setErrors({});
    const next = text.trim() === "" ? OWN_COLOUR : parseColour(text);
    if (next !== null && hasContrast(next)) setShown(next);
  };
  const choose = async (file: File | undefined) => {
    if (file === undefined) return;
    const read = await readLogo(file);
    form.setErrors(typeof read === "string" ? { logo: read } : {});
    if (typeof read !== "string") setChosen(read);
  };
  const remove = () => {
    form.setErrors({});
    setChosen(null);
  };
  const isLogoChanged = chosen !== undefined && !(chosen === null && storedLogo(settings) === null);
  const dirty = typed !== typedColour(settings) || isLogoChanged;
  const save = async (): Promise<boolean> =>
    !isRefused &&
    form.save(() =>
      saveAppearance({
        colour: typed.trim() === "" ? null : colour,
        ...(isLogoChanged ? { logo: logo?.base64 ?? null } : {}),
        version: settings.version,
      }),
    );
  return { ...form, typed, type, colour, isRefused, shown, logo, choose, remove, dirty, save };
}

/** Returns the reason of a refusal; the service checks again. */
async function readLogo(file: File): Promise<ChosenLogo | string> {
  if (file.size > MAX_LOGO_BYTES) return LOGO_FAULTS.size;
  const bytes = new Uint8Array(await file.arrayBuffer());
  const checked = checkLogo(bytes);
  if (checked.kind === "fault") return LOGO_FAULTS[checked.fault];
  const base64 = toBase64(bytes);
  const type = checked.kind === "svg" ? "image/svg+xml" : "image/png";
  return { address: `data:${type};base64,${base64}`, base64 };
}

const typedMails = ({ mails }: OrganisationSettings) => ({
  sender_name: mails.sender_name ?? "",
  reply_to: mails.reply_to ?? "",
  footer: mails.footer ?? "",
});
export type TypedMails = ReturnType<typeof typedMails>;

export function useMailsForm(settings: OrganisationSettings) {
  const [values, setValues] = useState(() => typedMails(settings));
  const form = useSave((saved) => setValues(typedMails(saved)));
  const stored = typedMails(settings);
  const change = (part: Partial<TypedMails>) => {
    form.setErrors({});
    setValues({ ...values, ...part });
  };
  const save = async (): Promise<boolean> => {
    const checked = organisationMails.safeParse({
      sender_name: values.sender_name.trim() || null,
      reply_to: values.reply_to.trim() || null,
      footer: values.footer.trim() || null,
    });
    if (checked.success)
      return form.save(() => saveMails({ ...checked.data, version: settings.version }));
    form.setErrors(
      Object.fromEntries(
        checked.error.issues.map(({ path, message }) => [String(path[0]), message]),
      ),
    );
    return false;
  };
  const dirty = JSON.stringify(values) !== JSON.stringify(stored);
  return { ...form, values, change, dirty, save };
}
