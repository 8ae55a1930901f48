import { type ReactNode, type RefObject, useEffect, useRef } from "react";
import { classNames } from "../../lib/class-names.ts";
import { Icon, type IconName } from "../icon/icon.tsx";
import styles from "./fold.module.css";

type Props = {
  readonly id: string;
  readonly title: string;
  readonly hint: string;
  readonly icon: IconName;
  /** Not printed. */
  readonly isTool?: boolean;
  readonly children: ReactNode;
};

export function Fold({ id, title, hint, icon, isTool = false, children }: Props) {
  const ref = useOpenOnPaper();
  return (
    <details
      className={classNames("card", styles["fold"], isTool && styles["tool"])}
      aria-labelledby={id}
      ref={ref}
    >
      <summary>
        <Icon name={icon} size="sm" />
        <h2 className="h2" id={id}>
          {title}
        </h2>
        <small>{hint}</small>
        <Icon name="chevron-down" size="sm" />
      </summary>
      <div className="card__body stack stack--lg">{children}</div>
    </details>
  );
}

export function useOpenOnPaper(): RefObject<HTMLDetailsElement | null> {
  const ref = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    let wasOpen = false;
    const open = () => {
      if (ref.current === null) return;
      wasOpen = ref.current.open;
      ref.current.open = true;
    };
    const restore = () => {
      if (ref.current !== null) ref.current.open = wasOpen;
    };
    window.addEventListener("beforeprint", open);
    window.addEventListener("afterprint", restore);
    return () => {
      window.removeEventListener("beforeprint", open);
      window.removeEventListener("afterprint", restore);
    };
  }, []);
  return ref;
}
