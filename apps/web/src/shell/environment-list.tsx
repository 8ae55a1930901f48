import { Link, useLocation } from "react-router";
import { classNames } from "../lib/class-names.ts";
import { Count } from "../ui/count/count.tsx";
import { Icon } from "../ui/icon/icon.tsx";
import { ACTION_REQUIRED_PATH, ENVIRONMENT_LINKS } from "./environment-links.ts";
import { isCurrent } from "./main-links.ts";
import styles from "./envelope-area.module.css";

type Props = { readonly actionCount: number; readonly bottom?: boolean; readonly onFollow?: () => void };

/** The links of the envelope area, beside the page or at its bottom. */
export function EnvironmentList({ actionCount, bottom = false, onFollow }: Props) {
  const { pathname } = useLocation();
  return (
    <ul className={classNames(!bottom && styles["list"])}>
      {ENVIRONMENT_LINKS.map((link) => (
        <li key={link.to}>
          <Link to={link.to} aria-current={isCurrent(pathname, link.to) ? "page" : undefined} onClick={onFollow}>
            <Icon name={link.icon} size={bottom ? "lg" : "md"} />
            <span>{link.label}</span>
            {link.to === ACTION_REQUIRED_PATH && (
              <Count value={actionCount} red className={bottom ? styles["bottomCount"] : styles["count"]} />
            )}
          </Link>
        </li>
      ))}
    </ul>
  );
}
