import { type DragEvent, useState } from "react";

/** Makes an element take dropped files. `isOver`: files are held over it. A disabled one takes none, and the browser opens none either. */
export function useFileDrop(onFiles: (files: readonly File[]) => void, isDisabled = false) {
  const [isOver, setIsOver] = useState(false);
  const drag = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(!isDisabled);
  };
  const target = {
    onDragEnter: drag,
    onDragOver: drag,
    onDragLeave(event: DragEvent) {
      if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setIsOver(false);
    },
    onDrop(event: DragEvent) {
      event.preventDefault();
      setIsOver(false);
      onFiles([...event.dataTransfer.files]);
    },
  };
  return { isOver, target };
}
