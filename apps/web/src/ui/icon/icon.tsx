import { classNames } from "../../lib/class-names.ts";
import styles from "./icon.module.css";

type Props = {
  readonly name: Drawing;
  readonly size?: "sm" | "md" | "lg";
  readonly className?: string | undefined;
};

/** Decorative: the text or label beside it has the name. */
export function Icon({ name, size = "md", className }: Props) {
  return (
    <svg
      className={classNames(
        styles["icon"],
        styles[size],
        (name === "dots" || name === "grip") && styles["dots"],
        className,
      )}
      viewBox="0 0 24 24"
      aria-hidden="true"
    >
      <path d={isNamed(name) ? ICON_PATHS[name] : name} />
    </svg>
  );
}

/** 24-unit grid, stroke 1.7, round caps. */
const ICON_PATHS = {
  pen: "M4 20l3-9 7-7 6 6-7 7zM4 20l6.500-6.500M11.500 11a1.500 1.500 0 1 0 .1 0",
  send: "M21 3 10 14M21 3l-7 18-4-7-7-4z",
  "chevron-down": "m6 9 6 6 6-6",
  "chevron-up": "m6 15 6-6 6 6",
  "chevron-left": "m15 6-6 6 6 6",
  "chevron-right": "m9 6 6 6-6 6",
  menu: "M4 7h16M4 12h16M4 17h16",
  warning: "M12 4 2.8 20h18.4zM12 10v4.6m0 2.6v.1",
  refresh: "M20 5v5h-5M4 19v-5h5M19.500 10A8 8 0 0 0 5.500 8M4.500 14a8 8 0 0 0 14 2",
  close: "M6 6l12 12M18 6 6 18",
  upload: "M12 16V5M7.500 9.500 12 5l4.500 4.500M4 20h16",
  check: "m5 12.5 4.5 4.5L19 7.5",
  info: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm0 8v5m0-8.2v.1",
  download: "M12 4v11m-4.500-4.500L12 15l4.500-4.500M4 20h16",
  alert: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm0 5v5m0 3v.1",
  layers: "M12 3 3 8l9 5 9-5zM3 12.500l9 5 9-5M3 17l9 5 9-5",
  signature: "M3 17c3-1 6-9 8-9s-2 8 0 8 2.500-4 4-4 .5 3 2 3 2-1 4-2M3 21h18",
  user: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4.500 20.500c.6-3.800 3.600-6 7.500-6s6.900 2.200 7.500 6",
  settings:
    "M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM12 2.800v2.400M12 18.800v2.400M5.500 5.500l1.700 1.700M16.800 16.800l1.700 1.700M2.800 12h2.400M18.800 12h2.400M5.500 18.500l1.700-1.700M16.800 7.200l1.700-1.700",
  logout: "M14 4H5v16h9M10 12h11m-4-4 4 4-4 4",
  dots: "M5 12h.01M12 12h.01M19 12h.01",
  eye: "M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
  "eye-off":
    "M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM4 4l16 16",
  "check-circle": "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm-3.6 9.2 2.5 2.5 4.7-5.2",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  undo: "M8 5 4 9l4 4M4 9h10a6 6 0 0 1 0 12h-3",
  redo: "m16 5 4 4-4 4M20 9H10a6 6 0 0 0 0 12h3",
  "arrow-right": "M4 12h16m-6-6 6 6-6 6",
  calendar: "M4 6h16v14H4zM4 10.500h16M8.500 3.500V7M15.500 3.500V7",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zm5 12 4.500 4.500",
  filter: "M4 6h16M7 12h10M10 18h4",
  edit: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4",
  bell: "M6 16V11a6 6 0 0 1 12 0v5l1.500 2h-15zM10 20.500h4",
  clock: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm0 4.500V12l3 2",
  external: "M14 4h6v6M20 4l-9 9M18 14v6H4V6h6",
  shield:
    "M12 3l8 3v6c0 4.500-3.200 7.600-8 9-4.800-1.400-8-4.500-8-9V6zM8.500 12l2.500 2.500 4.500-5",
  mail: "M3 6h18v13H3zM3 7l9 6.500L21 7",
  plus: "M12 5v14M5 12h14",
  trash: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5.5M14 11v5.5",
  print: "M7 8V3h10v5M7 17H4V8h16v9h-3M7 14h10v7H7z",
  restore: "M4 5v5h5M4.500 10A8 8 0 1 1 4 14",
  cancel: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM6 6l12 12",
  home: "M4 11l8-7 8 7v9h-5v-6H9v6H4z",
  lock: "M6 11h12v9H6zM8.500 11V8a3.500 3.500 0 0 1 7 0v3",
  keyboard: "M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M8 14h8",
  image: "M4 5h16v14H4zM8.500 8.500a1.500 1.500 0 1 0 .1 0M4 17l5-5 4 4 2.500-2.500L20 18",
  phone: "M8 3h8v18H8zM11 18h2",
  text: "M5 7V5h14v2M12 5v14M9 19h6",
  grip: "M9 6h.01M9 12h.01M9 18h.01M15 6h.01M15 12h.01M15 18h.01",
  initials: "M5 19 10 5l5 14M7 14h6M19 9v10",
  mention: "M4 6h9M4 11h6M4 20h16M20.500 6.500l-2-2-7.500 7.500-.700 2.700 2.700-.700z",
  "checkbox-empty": "M4 5h16v14H4z",
  checkbox: "M4 5h16v14H4zM8.500 12l2.500 2.500 4.500-5",
  qr: "M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h2v2h-2zM18 14h2v2M14 18v2h2M18 18h2v2",
  help: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM9.800 9.500a2.200 2.200 0 1 1 3.200 2c-.8.4-1 .9-1 1.700m0 3v.1",
  files: "M9 3h7l4 4v10H9zM5 7v14h10",
  camera: "M4 8h4l1.500-2.500h5L16 8h4v11H4zM12 10.500a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
  key: "M8 10a4.500 4.500 0 1 0 0 9 4.500 4.500 0 0 0 0-9zM11.200 11.300 20 2.500M16 6.500l3 3",
  file: "M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6",
} as const;

export type IconName = keyof typeof ICON_PATHS;
/** One page's icon is a path, because every page loads the names. */
export type Drawing = IconName | `M${string}`;

function isNamed(drawing: Drawing): drawing is IconName {
  return drawing in ICON_PATHS;
}
