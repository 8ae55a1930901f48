import type { KnownDomains, Suggestion } from "@paraphe/contracts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ClipboardEvent, useEffect, useMemo, useState } from "react";
import { api } from "../../../../lib/api/api.ts";
import { Combobox } from "../../../../ui/combobox/combobox.tsx";
import { LinkAction } from "../../../../ui/link/link-action.tsx";
import { suggestAddress } from "./suggest-address.ts";
import { parsePeople } from "./parse-people.ts";

const NO_DOMAINS: KnownDomains["results"] = [];

/** The domains of earlier addresses; none on failure. */
function useKnownDomains(isWanted: boolean): KnownDomains["results"] {
  const { data } = useQuery({
    queryKey: ["recipient-domains"],
    queryFn: ({ signal }) =>
      api.get<KnownDomains>("/api/signature/recipients/domains/", { signal }),
    enabled: isWanted,
    staleTime: 300_000,
    retry: false,
  });
  return data?.results ?? NO_DOMAINS;
}

/** The probable address, once the box is left (`look`): nothing flickers while typing. */
function useMeantAddress(value: string) {
  const [looked, setLooked] = useState<string | null>(null);
  const isLooked = value !== "" && looked === value;
  const known = useKnownDomains(isLooked);
  return { address: isLooked ? suggestAddress(value, known) : null, look: () => setLooked(value) };
}

const PAUSE_MS = 150;
const NONE: readonly Suggestion[] = [];

/** Contacts and colleagues whose name or address contains this text; none on failure. */
function useSuggestions(text: string, isWanted: boolean): readonly Suggestion[] {
  const search = usePaused(text.trim());
  const { data } = useQuery({
    queryKey: ["suggestions", search],
    queryFn: ({ signal }) =>
      api.get<{ results: readonly Suggestion[] }>("/api/signature/recipients/suggestions/", {
        query: { search },
        signal,
      }),
    enabled: isWanted,
    staleTime: 30_000,
    retry: false,
    placeholderData: keepPreviousData,
  });
  return isWanted ? (data?.results ?? NONE) : NONE;
}

function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}

type PersonPart = {
  readonly fullName?: string;
  readonly email?: string;
  readonly phoneNumber?: string | null;
};
export type PersonInputProps = {
  readonly part: "fullName" | "email";
  readonly value: string;
  readonly error?: string | undefined;
  readonly warning?: string | undefined;
  readonly taken: () => readonly { readonly fullName: string; readonly email: string }[];
  readonly onChange: (part: PersonPart) => void;
  readonly onLeave: () => void;
  readonly onEnter?: (() => void) | null | undefined;
  readonly onPasteList?: ((text: string) => void) | undefined;
};

const WORDS = {
  fullName: { label: "Nom", longest: 150 },
  email: { label: "Email", longest: 254 },
} as const;
const keyOf = (person: { readonly fullName: string; readonly email: string }) =>
  `${person.email.trim().toLowerCase()}\n${person.fullName.trim().toLowerCase()}`;

function pastePeople(
  event: ClipboardEvent<HTMLInputElement>,
  { onChange, onPasteList }: Pick<PersonInputProps, "onChange" | "onPasteList">,
): void {
  const text = event.clipboardData.getData("text/plain");
  const { people, faults } = text.includes("@") ? parsePeople(text) : { people: [], faults: [] };
  const [only] = people;
  if (only && people.length + faults.length > 1 && onPasteList) {
    event.preventDefault();
    onPasteList(text);
  } else if (only && people.length === 1 && !only.isNameGuessed) {
    event.preventDefault();
    onChange({
      fullName: only.fullName,
      email: only.email,
      ...(only.phoneNumber === null ? {} : { phoneNumber: only.phoneNumber }),
    });
  }
}

/** A name or address box; a proposal fills both. */
export function PersonInput(props: PersonInputProps) {
  const { part, value, error, warning, taken, onChange, onLeave, onEnter } = props;
  const [isWanted, setIsWanted] = useState(false);
  const meant = useMeantAddress(part === "email" && error === undefined ? value : "");
  const people = useSuggestions(value, isWanted);
  const options = useOptions(people, taken);
  return (
    <Combobox
      label={WORDS[part].label}
      type={part === "email" ? "email" : "text"}
      maxLength={WORDS[part].longest}
      spellCheck={false}
      listLabel="Personnes proposées"
      value={value}
      error={error}
      required
      warning={
        meant.address === null ? (
          warning
        ) : (
          <MeantAddress address={meant.address} onTake={(email) => onChange({ email })} />
        )
      }
      options={options}
      onOpen={() => setIsWanted(true)}
      onValue={(text) => onChange({ [part]: text })}
      onChoose={(id) => {
        const chosen = people[Number(id)];
        setIsWanted(false);
        if (chosen)
          onChange({
            fullName: chosen.full_name,
            email: chosen.email,
            phoneNumber: chosen.phone_number,
          });
      }}
      onPaste={(event) => pastePeople(event, props)}
      onBlur={() => {
        setIsWanted(false);
        meant.look();
        onLeave();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || !onEnter) return;
        event.preventDefault();
        onEnter();
      }}
    />
  );
}

function MeantAddress({
  address,
  onTake,
}: {
  readonly address: string;
  readonly onTake: (address: string) => void;
}) {
  return (
    <span>
      Vouliez-vous dire{" "}
      <LinkAction aria-label={`Remplacer par ${address}`} onClick={() => onTake(address)}>
        {address}
      </LinkAction>
      {"\u202f?"}
    </span>
  );
}

/** An option's id is the index in `people`. */
function useOptions(people: ReturnType<typeof useSuggestions>, taken: PersonInputProps["taken"]) {
  // Computed only with proposals: a list may have a hundred rows.
  const takenKeys = people.length === 0 ? "" : taken().map(keyOf).join("\r");
  return useMemo(() => {
    const keys = new Set(takenKeys.split("\r"));
    return people
      .map((person, index) => ({
        id: String(index),
        label: person.full_name,
        description: person.email,
      }))
      .filter((option) => !keys.has(keyOf({ fullName: option.label, email: option.description })));
  }, [people, takenKeys]);
}
