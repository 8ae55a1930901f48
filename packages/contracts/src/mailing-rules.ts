export const MAX_MAILING_ROWS = 1_000;
export const MAX_MAILING_SIZE_BYTES = 5 * 1024 * 1024;
export const MAX_MAILING_COLUMNS = 60;
export const MAX_MAILING_CELLS = MAX_MAILING_COLUMNS + 1;
/** Of an ended mailing with its report. */
export const MAILING_KEPT_DAYS = 30;

/** Sentences of a refused file, at `file`; `{name}` is its name, `{line}` the line at fault. */
export const MAILING_SENTENCES = {
  empty: "Ce fichier n’a aucune ligne sous les titres de ses colonnes.",
  spreadsheet:
    "«\u00a0{name}\u00a0» est un classeur. Enregistrez-le au format «\u00a0CSV UTF-8\u00a0», puis déposez-le ici.",
  unreadable: "«\u00a0{name}\u00a0» n’est pas un fichier CSV.",
  too_long: "Ce fichier a plus de 1\u202f000 lignes. Partagez-le en plusieurs fichiers.",
  too_large: "Ce fichier dépasse 5\u00a0Mo. Partagez-le en plusieurs fichiers.",
  too_wide: "Ce fichier a plus de 60 colonnes. Retirez celles qui ne servent pas.",
  open_quote:
    "Un guillemet ouvert à la ligne {line} n’est jamais fermé. Corrigez-le, puis recommencez.",
} as const;
export type MailingRefusal = keyof typeof MAILING_SENTENCES;

type Receiver = {
  readonly roles: readonly { readonly label: string }[];
  readonly texts: readonly string[];
};

/** « Client : email ». Null for a role or text that the template has not. */
export function mailingTargetName(target: string, { roles, texts }: Receiver): string | null {
  if (target === "title") return "Titre de l’enveloppe";
  const [part = "", index = ""] = target.split(":");
  if (part === "text") {
    const label = texts[Number(index)];
    return label === undefined ? null : `Texte «\u00a0${label}\u00a0»`;
  }
  const role = roles[Number(index)];
  return role === undefined ? null : `${role.label}\u00a0: ${PART_NAMES[part as "name"]}`;
}

const PART_NAMES = { name: "nom", first: "prénom", email: "email", phone: "téléphone" } as const;

/** « le modèle a 2 rôles, de 0 à 1 ». */
export function rangeWords(what: "rôle" | "texte", count: number): string {
  if (count === 0) return `le modèle n’a aucun ${what}`;
  const last = count - 1;
  return count === 1
    ? `le modèle a un seul ${what}, 0`
    : `le modèle a ${count}\u00a0${what}s, de 0 à ${last}`;
}

/** What keeps a file's lines from leaving: a destination taken twice or unknown, nobody for a role. */
export function mailingPlanFaults(
  receiver: Receiver,
  {
    columns,
    people,
  }: {
    readonly columns: readonly (string | null)[];
    readonly people: readonly { readonly role_index: number }[];
  },
): readonly string[] {
  const taken = columns.filter((target) => target !== null);
  const faults = columns.flatMap((target, index) => {
    if (target === null) return [];
    const name = mailingTargetName(target, receiver);
    if (name === null) {
      const range = target.startsWith("text")
        ? rangeWords("texte", receiver.texts.length)
        : rangeWords("rôle", receiver.roles.length);
      return [`La colonne ${index + 1} devient «\u00a0${target}\u00a0»\u00a0: ${range}.`];
    }
    return columns.indexOf(target) < index
      ? [`Deux colonnes deviennent «\u00a0${name}\u00a0».`]
      : [];
  });
  const lacking = receiver.roles.flatMap(({ label }, index) => {
    const isFixed = people.some(({ role_index }) => role_index === index);
    const has = (part: string) => taken.includes(`${part}:${index}`);
    if (isFixed)
      return ["name", "first", "email", "phone"].some(has)
        ? [`«\u00a0${label}\u00a0» a une colonne et une même personne pour toutes les lignes.`]
        : [];
    if (!has("email"))
      return [`Aucune colonne ne donne l’adresse email de «\u00a0${label}\u00a0».`];
    return has("name") || has("first")
      ? []
      : [`Aucune colonne ne donne le nom de «\u00a0${label}\u00a0».`];
  });
  return [...new Set([...faults, ...lacking])];
}
