import type { ComponentProps } from "react";
import { Link, type LinkProps } from "react-router";
import { classNames } from "../../lib/class-names.ts";
import { useFocusableDisabled } from "../focus/use-focusable-disabled.ts";
import styles from "./link.module.css";

/** For a small action inside text. */
export function LinkAction({ className, ...rest }: ComponentProps<"button">) {
  const held = useFocusableDisabled(rest);
  return (
    <button type="button" {...rest} {...held} className={classNames(styles["link"], className)} />
  );
}

export function TextLink({
  className,
  ...rest
}: Omit<LinkProps, "className"> & { readonly className?: string }) {
  return <Link {...rest} className={classNames(styles["link"], className)} />;
}
