import { type ReactNode, useContext, useEffect, useEffectEvent } from "react";
import {
  Button,
  Header,
  Menu as AriaMenu,
  MenuItem,
  MenuSection,
  MenuTrigger,
  OverlayTriggerStateContext,
  Popover,
  Separator,
  Text,
} from "react-aria-components";
import { classNames } from "../../lib/class-names.ts";
import { type Drawing, Icon } from "../icon/icon.tsx";
import styles from "./menu.module.css";

export type MenuEntry = {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  readonly icon?: Drawing;
  /** Otherwise `onAction` acts. */
  readonly href?: string;
  readonly onAction?: () => void;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  /** A line above it. */
  readonly separated?: boolean;
};

type Props = {
  readonly triggerLabel?: string;
  readonly triggerClassName: string;
  readonly trigger: ReactNode;
  /** For screen readers. */
  readonly label: string;
  /** The visible name. */
  readonly title?: string;
  readonly entries: readonly MenuEntry[];
  readonly align?: "start" | "end";
};

/** Arrows, Home, End, typeahead; Escape returns the focus. */
export function Menu({
  triggerLabel,
  triggerClassName,
  trigger,
  label,
  title,
  entries,
  align = "end",
}: Props) {
  return (
    <MenuTrigger>
      <Button
        className={triggerClassName}
        {...(triggerLabel === undefined ? {} : { "aria-label": triggerLabel })}
      >
        {trigger}
      </Button>
      <Popover
        className={styles["popover"] ?? ""}
        placement={align === "end" ? "bottom end" : "bottom start"}
        offset={6}
      >
        <CloseOnTurn />
        <AriaMenu
          className={styles["menu"] ?? ""}
          aria-label={label}
          disabledKeys={entries.filter((entry) => entry.disabled).map((entry) => entry.id)}
        >
          {title === undefined ? (
            entries.map(renderEntry)
          ) : (
            <MenuSection aria-label={title}>
              <Header className={styles["title"] ?? ""}>{title}</Header>
              {entries.map(renderEntry)}
            </MenuSection>
          )}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}

function CloseOnTurn(): null {
  const popover = useContext(OverlayTriggerStateContext);
  useTurn(() => popover?.close());
  return null;
}

/** A popover would stay where its button was before the window turned. */
export function useTurn(onTurn: () => void): void {
  const turn = useEffectEvent(onTurn);
  useEffect(() => {
    const { clientWidth: width } = document.documentElement;
    const follow = () => {
      if (document.documentElement.clientWidth !== width) turn();
    };
    window.addEventListener("resize", follow);
    return () => window.removeEventListener("resize", follow);
  }, []);
}

function renderEntry(entry: MenuEntry): ReactNode {
  const item = (
    <MenuItem
      key={entry.id}
      id={entry.id}
      textValue={entry.label}
      className={classNames(styles["item"], entry.danger && styles["danger"])}
      {...(entry.href === undefined ? {} : { href: entry.href })}
      {...(entry.onAction === undefined ? {} : { onAction: entry.onAction })}
    >
      {entry.icon && <Icon name={entry.icon} />}
      <span>
        <Text slot="label">{entry.label}</Text>
        {entry.description !== undefined && (
          <Text slot="description" elementType="small">
            {entry.description}
          </Text>
        )}
      </span>
    </MenuItem>
  );
  return entry.separated
    ? [<Separator key={`${entry.id}-filet`} className={styles["separator"] ?? ""} />, item]
    : item;
}
