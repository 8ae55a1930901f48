import { MEMBER_ROLES, type OrganisationMember, ROLE_NAMES } from "@paraphe/contracts";
import { foldText } from "@paraphe/kernel/french-words";
import { daysBetween, formatDayMonth } from "../../../lib/format/format-dates.ts";
import {
  chosenOf,
  type Filter,
  type ListAddress,
  type Order,
} from "../../../ui/filter-bar/filters.ts";

export const MEMBER_ORDERS: readonly [Order, ...Order[]] = [
  { slug: "nom", label: "Nom, de A à Z" },
  { slug: "nom-z-a", label: "Nom, de Z à A" },
  { slug: "role", label: "Rôle" },
  { slug: "vus", label: "Vus récemment" },
];

const role: Filter = {
  name: "role",
  label: "Rôle",
  takesSeveral: true,
  choices: [
    { slug: "owner", label: ROLE_NAMES.owner },
    { slug: "administrator", label: ROLE_NAMES.administrator },
    { slug: "member", label: ROLE_NAMES.member },
    { slug: "reader", label: ROLE_NAMES.reader },
  ],
};
const factor: Filter = {
  name: "facteur",
  label: "Second facteur",
  choices: [
    { slug: "", label: "Avec ou sans" },
    { slug: "sans", label: "Sans second facteur" },
    { slug: "avec", label: "Avec second facteur" },
  ],
};
export const MEMBER_FILTERS: readonly Filter[] = [role, factor];

/** Filters and sorts here, because the whole list is loaded. */
export function narrowMembers(
  members: readonly OrganisationMember[],
  { search, values, order }: Pick<ListAddress, "search" | "values" | "order">,
): readonly OrganisationMember[] {
  const sought = foldText(search.trim());
  const roles = chosenOf(role, values).map(({ slug }) => slug);
  const [lacking] = chosenOf(factor, values);
  const found = members.filter(
    (member) =>
      foldText(`${member.name} ${member.email} ${teamWords(member)}`).includes(sought) &&
      (roles.length === 0 || roles.includes(member.role)) &&
      (lacking === undefined || member.has_second_factor === (lacking.slug === "avec")),
  );
  if (order.slug === "nom-z-a") return found.toReversed();
  if (order.slug === "role")
    return found.toSorted((a, b) => MEMBER_ROLES.indexOf(a.role) - MEMBER_ROLES.indexOf(b.role));
  return order.slug === "vus"
    ? found.toSorted((a, b) => (b.seen_at ?? "").localeCompare(a.seen_at ?? ""))
    : found;
}

/** One of six colours, the same for a person on each page. */
export function colourOf(id: string): number {
  return (Number.parseInt(id.slice(-4), 16) % 6) + 1;
}

/** « Marchés, Successions ». */
export function teamWords({ teams }: OrganisationMember): string {
  return teams.map(({ name }) => name).join(", ");
}

/** « Aujourd’hui », « Hier », « 20 nov. ». Sessions of long ago are gone. */
export function seenWords({ seen_at: seenAt }: OrganisationMember): string {
  if (seenAt === null) return "Pas récemment";
  const days = daysBetween(seenAt, new Date());
  if (days <= 0) return "Aujourd’hui";
  return days === 1 ? "Hier" : formatDayMonth(seenAt);
}
