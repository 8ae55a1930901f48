import type {
  Envelope,
  SaveTemplateRequest,
  Template,
  Templates,
  UseTemplateRequest,
} from "@paraphe/contracts";
import { foldText } from "@paraphe/kernel/french-words";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { type RefObject, useRef, useState } from "react";
import { api } from "../../../lib/api/api.ts";
import { parisDay } from "../../../lib/format/format-dates.ts";
import { plural } from "../../../lib/format/format-numbers.ts";
import {
  type Filter,
  type ListAddress,
  type Order,
  periodFilter,
  periodOf,
} from "../../../ui/filter-bar/filters.ts";
import { SHARING, teamQuery, useTeamFilter, withTeam } from "../../accounts/team-field.tsx";

const TEMPLATES = "/api/signature/templates/";
/** The service checks each file again. */
const USE_TIMEOUT_MS = 60_000;

export const templateCalls = {
  list: () => api.get<Templates>(TEMPLATES),
  save: (body: SaveTemplateRequest) => api.post<Template>(TEMPLATES, { body }),
  rename: (id: string, name: string) =>
    api.patch<Template>(`${TEMPLATES}${id}/`, { body: { name } }),
  remove: (id: string) => api.delete<void>(`${TEMPLATES}${id}/`),
  /** The key makes a second press harmless. */
  use: (id: string, body: UseTemplateRequest, idempotencyKey: string) =>
    api.post<Envelope>(`${TEMPLATES}${id}/use/`, {
      body,
      idempotencyKey,
      timeoutMs: USE_TIMEOUT_MS,
    }),
};

export const templatesQuery = queryOptions({
  queryKey: ["templates"],
  queryFn: templateCalls.list,
});

export function useTemplates() {
  return useQuery(templatesQuery);
}

export const TEMPLATE_ORDERS: readonly [Order, ...Order[]] = [
  { slug: "nom", label: "Nom, de A à Z" },
  { slug: "nom-z-a", label: "Nom, de Z à A" },
  { slug: "recents", label: "Plus récents" },
];
const MODIFIED = periodFilter("Modification");

export function useTemplateFilters(): readonly Filter[] {
  return [MODIFIED, ...useTeamFilter(SHARING)];
}

/** Filters and sorts here: an account has a hundred templates at most. */
export function narrowTemplates(
  templates: readonly Template[],
  { search, values, order, filters }: Pick<ListAddress, "search" | "values" | "order" | "filters">,
  now: Date,
): readonly Template[] {
  const { from, to } = periodOf(values, now);
  const { team: chosen } = teamQuery(filters, values);
  const found = templates.filter(({ name, updated_at, team }) => {
    const day = parisDay(updated_at);
    return (
      foldText(withTeam(team, name)).includes(foldText(search.trim())) &&
      (chosen === undefined || chosen === (team?.id ?? "mine")) &&
      (from === undefined || day >= from) &&
      (to === undefined || day <= to)
    );
  });
  if (order.slug === "nom-z-a") return found.toReversed();
  return order.slug === "recents"
    ? found.toSorted((a, b) => b.updated_at.localeCompare(a.updated_at))
    : found;
}

/** « Service Urbanisme · Bail.pdf, Annexe.pdf · 3 champs ». */
export function templateSummary(template: Template): string {
  const files = template.documents.map((document) => document.name).join(", ");
  const name = template.circuit?.name ?? template.lost_circuit;
  const lost = template.lost_circuit === undefined ? "" : ", supprimé";
  const circuit = name === undefined ? "" : ` · circuit «\u00a0${name}\u00a0»${lost}`;
  return withTeam(template.team, `${files} · ${plural(template.field_count, "champ")}${circuit}`);
}

export function roleNames(template: Template): string {
  if (template.roles.length > 0) return template.roles.map((role) => role.label).join(", ");
  return template.circuit === null ? "Aucun rôle" : "Ceux du circuit";
}

const ROLES = {
  signer: "signataire",
  approver: "approbateur",
  visa: "visa",
  viewer: "en copie",
} as const;

/** « Locataire (signataire, 2 champs) ». */
export function roleLegend(role: Template["roles"][number]): string {
  return `${role.label} (${ROLES[role.role]}${role.field_count > 0 ? `, ${plural(role.field_count, "champ")}` : ""})`;
}

/** A form's faults by field name; `all` is the form's own. */
export type Faults = Readonly<Record<string, string>>;
type FormFaults = {
  readonly body: RefObject<HTMLFormElement | null>;
  readonly faults: Faults;
  readonly refuse: (found: Faults) => void;
  /** A field being corrected is no longer marked wrong. */
  readonly forget: (...names: readonly string[]) => void;
};

export function useFormFaults(): FormFaults {
  const body = useRef<HTMLFormElement>(null);
  const [faults, setFaults] = useState<Faults>({});
  return {
    body,
    faults,
    refuse(found) {
      setFaults(found);
      requestAnimationFrame(() =>
        body.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus(),
      );
    },
    forget: (...names) =>
      setFaults((before) =>
        Object.fromEntries(Object.entries(before).filter(([name]) => !names.includes(name))),
      ),
  };
}
