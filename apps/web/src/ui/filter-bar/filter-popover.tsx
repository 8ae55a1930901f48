import {
  type FormEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useEffectEvent,
  useId,
  useRef,
  useState,
} from "react";
import { useMediaQuery } from "../../lib/browser/use-media-query.ts";
import { Button } from "../button/button.tsx";
import { Checkbox } from "../checkbox/checkbox.tsx";
import { DateField } from "../date-field/date-field.tsx";
import { Dialog } from "../dialog/dialog.tsx";
import { SelectField } from "../field/field.tsx";
import styles from "./filter-bar.module.css";
import {
  asksForDays,
  type Choice,
  chosenOf,
  DAYS,
  daysFault,
  type Filter,
  type FilterValues,
  slugsOf,
} from "./filters.ts";

type Props = {
  readonly filters: readonly Filter[];
  readonly values: FilterValues;
  readonly preview: (values: FilterValues, signal: AbortSignal) => Promise<string>;
  readonly onApply: (values: FilterValues) => void;
  readonly onClose: () => void;
};

/** Escape and an outside press drop the choices. A bottom sheet on a phone. */
export function FilterPopover({ filters, values: applied, preview, onApply, onClose }: Props) {
  const isSmall = useMediaQuery("(max-width: 767.98px)");
  const [values, setValues] = useState(applied);
  const [isFaultShown, setIsFaultShown] = useState(false);
  const end = useRef<HTMLInputElement>(null);
  const form = useId();
  const found = useFound(values, preview);
  const fault = daysFault(values);
  const set = (name: string, value: string) =>
    setValues((current) => ({ ...current, [name]: value }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (fault === undefined)
      return onApply(
        Object.fromEntries(Object.entries(values).filter(([, value]) => value !== "")),
      );
    setIsFaultShown(true);
    return end.current?.focus();
  };
  const actions = (
    <>
      <Button variant="ghost" onClick={() => setValues({})}>
        Tout effacer
      </Button>
      <Button variant="primary" type="submit" form={form}>
        {found === undefined ? "Voir" : `Voir ${found}`}
      </Button>
    </>
  );
  const Frame = isSmall ? Sheet : Panel;
  return (
    <Frame {...{ actions, onClose }}>
      <form id={form} className="stack" noValidate onSubmit={submit}>
        <FilterFields
          {...{ filters, values, end }}
          fault={isFaultShown ? fault : undefined}
          onSet={set}
        />
        <span className="sr" role="status">
          {found}
        </span>
      </form>
    </Frame>
  );
}

type FrameProps = {
  readonly actions: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
};

function Sheet(props: FrameProps) {
  return <Dialog title="Filtrer" sheet {...props} />;
}

/** Leaving the panel by Tab closes it. */
function Panel({ actions, onClose, children }: FrameProps) {
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  const isInside = useRef(false);
  const press = useEffectEvent(({ target }: PointerEvent) => {
    // React also bubbles events of a portal, such as the calendar's.
    const isOwn =
      isInside.current ||
      (target instanceof Node && panel.current?.parentElement?.contains(target));
    isInside.current = false;
    if (!isOwn) onClose();
  });
  useEffect(() => {
    panel.current?.querySelector<HTMLElement>("select, input")?.focus();
    const follow = (event: PointerEvent) => press(event);
    document.addEventListener("pointerdown", follow);
    return () => document.removeEventListener("pointerdown", follow);
  }, []);
  const escape = (event: KeyboardEvent) => {
    if (event.key === "Escape") onClose();
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Escape closes a dialog, and so does leaving it (WAI-ARIA)
    <div
      ref={panel}
      className={styles["popover"]}
      role="dialog"
      aria-labelledby={id}
      onKeyDown={escape}
      onPointerDownCapture={() => {
        isInside.current = true;
      }}
      onBlur={({ relatedTarget, currentTarget }) => {
        // A calendar gives the focus back, so it does not count as leaving.
        if (
          relatedTarget?.closest("main, header") &&
          !currentTarget.parentElement?.contains(relatedTarget)
        )
          onClose();
      }}
    >
      <h2 className="h3" id={id}>
        Filtrer
      </h2>
      {children}
      <div className={styles["foot"]}>{actions}</div>
    </div>
  );
}

type FilterFieldsProps = Pick<Props, "filters" | "values"> & {
  readonly end: RefObject<HTMLInputElement | null>;
  readonly fault: string | undefined;
  readonly onSet: (name: string, value: string) => void;
};

function FilterFields({ filters, values, end, fault, onSet }: FilterFieldsProps) {
  return (
    <>
      {filters.map((filter) =>
        filter.takesSeveral ? (
          <Boxes key={filter.name} {...{ filter, values, onSet }} />
        ) : (
          <SelectField
            key={filter.name}
            label={filter.label}
            size="sm"
            value={values[filter.name] ?? ""}
            onChange={(event) => onSet(filter.name, event.target.value)}
          >
            {filter.choices.map((choice) => (
              <option key={choice.slug} value={choice.slug}>
                {choice.label}
              </option>
            ))}
          </SelectField>
        ),
      )}
      {asksForDays(values) && (
        <>
          <DateField
            label="Du"
            size="sm"
            value={values[DAYS.start] ?? ""}
            onChange={(day) => onSet(DAYS.start, day)}
          />
          <DateField
            ref={end}
            label="Au"
            size="sm"
            value={values[DAYS.end] ?? ""}
            error={fault}
            onChange={(day) => onSet(DAYS.end, day)}
          />
        </>
      )}
    </>
  );
}

function Boxes({
  filter,
  values,
  onSet,
}: Pick<FilterFieldsProps, "values" | "onSet"> & { readonly filter: Filter }) {
  const chosen = chosenOf(filter, values);
  const toggle = (choice: Choice) =>
    onSet(
      filter.name,
      slugsOf(filter.choices.filter((one) => chosen.includes(one) !== (one === choice))),
    );
  return (
    <fieldset className="stack stack--sm">
      <legend className={styles["legend"]}>{filter.label}</legend>
      {filter.choices.map((choice) => (
        <Checkbox
          key={choice.slug}
          label={choice.label}
          checked={chosen.includes(choice)}
          onChange={() => toggle(choice)}
        />
      ))}
    </fieldset>
  );
}

function useFound(values: FilterValues, preview: Props["preview"]): string | undefined {
  const [found, setFound] = useState<string>();
  const ask = useEffectEvent(async (signal: AbortSignal) => {
    if (daysFault(values) !== undefined) return undefined;
    return preview(values, signal).catch(() => undefined);
  });
  useEffect(() => {
    const leaving = new AbortController();
    void ask(leaving.signal).then((words) => leaving.signal.aborted || setFound(words));
    return () => leaving.abort();
  }, [values]);
  return found;
}
