import { Link, type LinkProps } from "react-router";
import { classNames } from "../../lib/class-names.ts";
import styles from "./link.module.css";

/** A link in or beside text, always underlined. */
export function TextLink({ className, ...rest }: Omit<LinkProps, "className"> & { readonly className?: string }) {
  return <Link {...rest} className={classNames(styles["link"], className)} />;
}
