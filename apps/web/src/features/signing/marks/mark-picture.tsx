import { useEffect } from "react";
import type { MarkLook } from "./chosen-mark.ts";
import { handStyle, loadHands } from "./hands.ts";
import styles from "./mark-picture.module.css";
import { inkBounds, strokePaths } from "./stroke.ts";

export function MarkPicture({ look }: { look: MarkLook }) {
  useEffect(() => {
    if (look.kind === "text") void loadHands();
  }, [look.kind]);
  if (look.kind === "image")
    return <img className={styles.image} src={look.src} alt="" draggable={false} />;
  if (look.kind === "text") {
    return (
      <span className={styles.text} style={handStyle(look.font, look.text)}>
        {look.text}
      </span>
    );
  }
  const bounds = inkBounds(look.strokes);
  if (!bounds) return null;
  return (
    <svg
      className={styles.ink}
      viewBox={`${bounds.x} ${bounds.y} ${bounds.width} ${bounds.height}`}
      preserveAspectRatio="xMinYMid meet"
      aria-hidden="true"
    >
      {look.strokes.map((stroke, index) => (
        <g key={index}>
          {strokePaths(stroke).map((path) => (
            <path key={path} d={path} />
          ))}
        </g>
      ))}
    </svg>
  );
}
