import { type ComponentProps, type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { announce } from "../../lib/browser/announce.ts";
import { classNames } from "../../lib/class-names.ts";
import { Field, type FieldProps, type FieldWarning } from "../field/field.tsx";
import styles from "./combobox.module.css";

type ComboboxOption = {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
};

type Proposed = {
  readonly options: readonly ComboboxOption[];
  readonly onChoose: (id: string) => void;
  readonly onOpen?: (() => void) | undefined;
};

/** Index -1 is the typed text itself. */
function useProposals({ options, onChoose, onOpen }: Proposed) {
  const listId = useId();
  const list = useRef<HTMLDivElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  // Found by label, so that a reloaded list leaves the reader in place.
  const [walkedTo, setWalkedTo] = useState<ComboboxOption | null>(null);
  const active = options.findIndex(
    ({ label, description }) => label === walkedTo?.label && description === walkedTo.description,
  );
  const isShown = isOpen && options.length > 0;
  const current = isShown ? options[active] : undefined;
  useEffect(() => {
    if (isShown)
      announce(options.length === 1 ? "1 proposition" : `${options.length} propositions`);
  }, [isShown, options]);
  useEffect(() => {
    if (current) list.current?.children[active]?.scrollIntoView({ block: "nearest" });
  }, [current, active]);

  const open = () => {
    setIsOpen(true);
    setWalkedTo(null);
    onOpen?.();
  };
  const close = () => {
    setIsOpen(false);
    setWalkedTo(null);
  };
  const choose = (option: ComboboxOption) => {
    close();
    onChoose(option.id);
  };
  const walk = (event: KeyboardEvent, step: 1 | -1) => {
    event.preventDefault();
    if (!isShown) open();
    if (event.altKey && step === -1) close();
    // Past either end, the typed text itself is current.
    if (event.altKey || options.length === 0) return;
    setWalkedTo(
      options[((active + 1 + step + options.length + 1) % (options.length + 1)) - 1] ?? null,
    );
  };
  const takeKey = (event: KeyboardEvent): boolean => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey) walk(event, step);
    else if (event.key === "Escape" && isShown) {
      event.preventDefault();
      event.stopPropagation();
      close();
    } else if (event.key === "Enter" && current) {
      event.preventDefault();
      choose(current);
    } else return false;
    return true;
  };
  const optionId = (index: number) => `${listId}-${index}`;
  return { list, listId, optionId, active, current, isShown, open, close, choose, takeKey };
}

type Props = Omit<
  ComponentProps<"input">,
  "size" | "id" | "value" | "onChange" | "list" | "required"
> &
  FieldProps &
  FieldWarning & {
    readonly value: string;
    readonly onValue: (value: string) => void;
    readonly options: readonly ComboboxOption[];
    /** For screen readers. */
    readonly listLabel: string;
    readonly onChoose: (id: string) => void;
    readonly onOpen?: () => void;
  };

/** Source: ARIA APG, « Editable Combobox With List Autocomplete ». */
export function Combobox(props: Props) {
  const { label, error, help, warning, required, optional, hideLabel, size, id, ...own } = props;
  const { value, onValue, options, listLabel, onChoose, onOpen, ...rest } = own;
  const proposals = useProposals({ options, onChoose, onOpen });
  const { listId, optionId, active, current, isShown, open, close } = proposals;
  return (
    <Field {...{ label, error, help, warning, required, optional, hideLabel, size, id }}>
      {(control) => (
        <div className={styles["box"]}>
          <input
            autoComplete="off"
            {...rest}
            {...control}
            role="combobox"
            aria-autocomplete="list"
            aria-expanded={isShown}
            aria-controls={isShown ? listId : undefined}
            aria-activedescendant={current ? optionId(active) : undefined}
            value={value}
            onChange={(event) => {
              onValue(event.target.value);
              open();
            }}
            onBlur={(event) => {
              close();
              rest.onBlur?.(event);
            }}
            onKeyDown={(event) => {
              if (!proposals.takeKey(event)) rest.onKeyDown?.(event);
            }}
          />
          {isShown && <ProposalList proposals={proposals} options={options} label={listLabel} />}
        </div>
      )}
    </Field>
  );
}

type ProposalListProps = {
  readonly proposals: ReturnType<typeof useProposals>;
  readonly options: readonly ComboboxOption[];
  readonly label: string;
};

function ProposalList({ proposals, options, label }: ProposalListProps) {
  const { list, listId, optionId, active, choose } = proposals;
  return (
    // Some browsers make a scrolling box a Tab stop.
    <div
      className={styles["list"]}
      id={listId}
      role="listbox"
      aria-label={label}
      tabIndex={-1}
      ref={list}
    >
      {options.map((option, index) => (
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- its keys are the line's, which keeps the focus (ARIA APG)
        <div
          key={option.id}
          id={optionId(index)}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          className={classNames(styles["option"], index === active && styles["active"])}
          // A press must not blur the line before the choice.
          onPointerDown={(event) => event.preventDefault()}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => choose(option)}
        >
          <span>{option.label}</span>
          {option.description !== undefined && <small>{option.description}</small>}
        </div>
      ))}
    </div>
  );
}
