import type { ComponentProps } from "react";
import { classNames } from "../../lib/class-names.ts";
import { Field, type FieldProps, type FieldWarning } from "../field/field.tsx";
import styles from "./combobox.module.css";
import { type ComboboxOption, useProposals } from "./use-proposals.ts";

type Props = Omit<ComponentProps<"input">, "size" | "id" | "value" | "onChange" | "list" | "required"> &
  FieldProps &
  FieldWarning & {
    readonly value: string;
    readonly onValue: (value: string) => void;
    /** What is proposed for the text as it stands; empty while nothing is known. */
    readonly options: readonly ComboboxOption[];
    /** The name of the list, for screen readers. */
    readonly listLabel: string;
    readonly onChoose: (id: string) => void;
    /** The list is asked for: typed in, or opened by an arrow. */
    readonly onOpen?: () => void;
  };

/**
 * A line of text with proposals under it: what is typed stays what it is until one is chosen.
 * Source: ARIA APG, « Editable Combobox With List Autocomplete ».
 */
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
    // A box that scrolls would be a stop of Tab in some browsers, and be gone once the line is left: the focus with it.
    <div className={styles["list"]} id={listId} role="listbox" aria-label={label} tabIndex={-1} ref={list}>
      {options.map((option, index) => (
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- its keys are the line's, which keeps the focus (ARIA APG)
        <div
          key={option.id}
          id={optionId(index)}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          className={classNames(styles["option"], index === active && styles["active"])}
          // The line keeps the focus: a press on a proposal must not blur it first.
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
