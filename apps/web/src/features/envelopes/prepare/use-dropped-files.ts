import { useEffect } from "react";

/**
 * Takes files dropped anywhere on the page, outside its own drop zones. With `null` nothing takes them, and the browser does not open them in
 * the page's place either. What is dragged inside the page itself is left alone.
 */
export function useDroppedFiles(onFiles: ((files: readonly File[]) => void) | null): void {
  useEffect(() => {
    const hold = (event: DragEvent) => {
      if (event.defaultPrevented || !event.dataTransfer?.types.includes("Files")) return null;
      event.preventDefault();
      return event.dataTransfer;
    };
    const over = (event: DragEvent) => {
      const held = hold(event);
      if (held) held.dropEffect = onFiles ? "copy" : "none";
    };
    const drop = (event: DragEvent) => {
      const files = [...(hold(event)?.files ?? [])];
      if (files.length > 0) onFiles?.(files);
    };
    document.addEventListener("dragover", over);
    document.addEventListener("drop", drop);
    return () => {
      document.removeEventListener("dragover", over);
      document.removeEventListener("drop", drop);
    };
  }, [onFiles]);
}
