import { useEffect, useRef, useState } from "react";
import type { OpenedPdf } from "./open-pdf.ts";

type PagePictureProps = {
  readonly documentKey: string;
  readonly load: (signal: AbortSignal) => Promise<ArrayBuffer>;
  readonly pageNumber: number;
  /** Width in points, and in pixels. */
  readonly pageWidth: number;
  readonly width: number;
  readonly className?: string | undefined;
};

/** Drawn only in sight, dropped when it leaves: lists have hundreds. Decorative. */
export function PagePicture({
  documentKey,
  load,
  pageNumber,
  pageWidth,
  width,
  className,
}: PagePictureProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const target = canvas.current;
    if (!target) return;
    const observer = new IntersectionObserver(
      ([entry]) => setSeen(entry?.isIntersecting === true),
      { rootMargin: "100px" },
    );
    observer.observe(target);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const target = canvas.current;
    if (!isSeen || !target) return;
    const controller = new AbortController();
    let pdf: OpenedPdf | null = null;
    const draw = async () => {
      const [{ openPdf }, bytes] = await Promise.all([
        import("./open-pdf.ts"),
        load(controller.signal),
      ]);
      pdf = await openPdf(bytes, { worker: "shared" });
      if (!controller.signal.aborted)
        await pdf.drawPage({ pageNumber, canvas: target, scale: (width * 2) / pageWidth }).done;
    };
    // An undrawable page stays white; the service reports the file.
    const drawn = draw().catch(() => undefined);
    return () => {
      controller.abort();
      void drawn.then(() => pdf?.close());
      target.width = 0;
    };
    // The loader is made anew at each rendering: the key alone says that the document is another one.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [isSeen, documentKey, pageNumber, pageWidth, width]);
  return <canvas ref={canvas} className={className} aria-hidden="true" />;
}
