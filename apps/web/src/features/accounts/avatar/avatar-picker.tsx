import { useEffect, useRef, useState, type KeyboardEvent, type PointerEvent, useId } from "react";
import { Avatar } from "../../../ui/avatar/avatar.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { FileInput } from "../../../ui/field/file-input.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import {
  type PictureSize,
  shrinkAvatar,
  CENTRED,
  type Crop,
  cropByKey,
  croppedSquare,
  MAX_ZOOM,
  moveSquare,
  zoomSquare,
} from "./crop-square.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Dialog } from "../../../ui/dialog/dialog.tsx";
import styles from "./crop-dialog.module.css";

type Props = {
  readonly name: string;
  readonly file: File | undefined;
  /** Called without a file when the picture is removed. */
  readonly onFile: (file: File | undefined) => void;
  readonly image?: string | null;
  readonly chooseLabel?: string;
  readonly error?: string | undefined;
};

export function AvatarPicker({ name, file, onFile, image = null, chooseLabel, error }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const chooseButton = useRef<HTMLButtonElement>(null);
  const preview = usePreview(file);
  const { cropping, refusal, choose, forget, endCropping } = useChosenPicture();
  const remove = () => {
    forget();
    onFile(undefined);
    // The pressed button disappears with the picture, so the focus moves.
    chooseButton.current?.focus();
  };
  const message = refusal ?? error;
  return (
    <div className="row row--nw">
      <Avatar name={name} image={preview ?? image} size="lg" />
      <div className="stack stack--sm">
        <div className="row">
          <Button ref={chooseButton} size="sm" onClick={() => input.current?.click()}>
            {chooseLabel ?? (
              <>
                <Icon name="upload" size="sm" />
                Choisir une image
              </>
            )}
          </Button>
          {(file || image) && (
            <Button size="sm" variant="ghost" onClick={remove}>
              Retirer
            </Button>
          )}
        </div>
        <p className="muted small">PNG, JPG jusqu'à 5MB (optionnel)</p>
        {message !== undefined && (
          <p className="small" role="alert" style={{ color: "var(--danger)" }}>
            {message}
          </p>
        )}
        <FileInput
          ref={input}
          label="Image de profil"
          accept="image/png,image/jpeg"
          onTake={([file]) => void choose(file)}
        />
      </div>
      {cropping && (
        <CropDialog
          file={cropping.file}
          size={cropping.size}
          onUse={(cropped) => {
            endCropping();
            onFile(cropped);
          }}
          onClose={endCropping}
        />
      )}
    </div>
  );
}

function useChosenPicture() {
  const [refusal, setRefusal] = useState<string>();
  const [cropping, setCropping] = useState<{ readonly file: File; readonly size: PictureSize }>();
  // The last choice wins, however long each takes to be read.
  const turn = useRef(0);
  const choose = async (chosen: File | undefined): Promise<void> => {
    if (!chosen) return;
    const own = ++turn.current;
    const shrunk = await shrinkAvatar(chosen);
    if (own !== turn.current) return;
    setRefusal(shrunk.ok ? undefined : shrunk.reason);
    if (shrunk.ok) setCropping(shrunk);
  };
  const forget = () => {
    turn.current++;
    setRefusal(undefined);
  };
  return { cropping, refusal, choose, forget, endCropping: () => setCropping(undefined) };
}

function usePreview(file: File | undefined): string | undefined {
  const [preview, setPreview] = useState<string>();
  useEffect(() => {
    if (!file) {
      setPreview(undefined);
      return undefined;
    }
    const url = URL.createObjectURL(file);
    setPreview(url);
    return () => URL.revokeObjectURL(url);
  }, [file]);
  return preview;
}

/** Twice the 512 pixels shown at most, for sharp screens. */
const MAX_SIDE = 1_024;

async function cropAvatar(file: File, crop: Crop): Promise<File> {
  const bitmap = await createImageBitmap(file);
  const { left, top, side } = croppedSquare(bitmap, crop);
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = Math.max(1, Math.min(MAX_SIDE, Math.round(side)));
  const context = canvas.getContext("2d");
  if (!context) throw new Error("no 2D canvas in this browser");
  context.imageSmoothingQuality = "high";
  context.drawImage(bitmap, left, top, side, side, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  const type = file.type === "image/jpeg" ? "image/jpeg" : "image/png";
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, 0.9));
  if (blob === null) throw new DOMException("the picture could not be encoded", "EncodingError");
  return new File([blob], file.name, { type });
}

type Point = { readonly x: number; readonly y: number };
/** The start of a pinch, which every later move is relative to. */
type Pinch = { readonly crop: Crop; readonly apart: number; readonly middle: Point };
type CropPart = {
  readonly size: PictureSize;
  readonly crop: Crop;
  readonly onCrop: (crop: Crop) => void;
};

/** One pointer drags, two pinch, a third is ignored. */
function useCropGesture({ size, crop, onCrop }: CropPart) {
  const fingers = useRef(new Map<number, Point>());
  const pinch = useRef<Pinch | null>(null);

  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    if (fingers.current.size === 2) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    fingers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const span = spanOf(fingers.current);
    pinch.current = span && { crop, ...span };
  };
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    const from = fingers.current.get(event.pointerId);
    if (!from) return;
    const side = event.currentTarget.clientWidth || 1;
    const to = { x: event.clientX, y: event.clientY };
    fingers.current.set(event.pointerId, to);
    const began = pinch.current;
    const span = spanOf(fingers.current);
    // The picture follows the finger, so the square moves the other way.
    const share = (start: Point, end: Point) => ({
      dx: (start.x - end.x) / side,
      dy: (start.y - end.y) / side,
    });
    if (began === null || span === null) onCrop(moveSquare(size, crop, share(from, to)));
    else
      onCrop(
        moveSquare(
          size,
          zoomSquare(size, began.crop, (began.crop.zoom * span.apart) / began.apart),
          share(began.middle, span.middle),
        ),
      );
  };
  /** The remaining finger drags on from where it is. */
  const onPointerEnd = (event: PointerEvent<HTMLDivElement>) => {
    if (fingers.current.delete(event.pointerId)) pinch.current = null;
  };
  return { onPointerDown, onPointerMove, onPointerUp: onPointerEnd, onPointerCancel: onPointerEnd };
}

function spanOf(
  fingers: ReadonlyMap<number, Point>,
): { readonly apart: number; readonly middle: Point } | null {
  const [one, other] = [...fingers.values()];
  if (!one || !other) return null;
  // Two fingers on one point would divide by zero.
  const apart = Math.max(1, Math.hypot(one.x - other.x, one.y - other.y));
  return { apart, middle: { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 } };
}

type CropDialogProps = {
  readonly file: File;
  readonly size: PictureSize;
  readonly onUse: (file: File) => void;
  readonly onClose: () => void;
};

export function CropDialog({ file, size, onUse, onClose }: CropDialogProps) {
  const [crop, setCrop] = useState<Crop>(CENTRED);
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState(false);
  const use = async () => {
    setBusy(true);
    setFailed(false);
    try {
      onUse(await cropAvatar(file, crop));
    } catch (error) {
      console.warn("the picture could not be cropped", error);
      setFailed(true);
      setBusy(false);
    }
  };
  return (
    <Dialog
      title="Cadrer l’image"
      sheet
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Annuler</Button>
          <Button variant="primary" loading={busy} onClick={() => void use()}>
            Utiliser cette image
          </Button>
        </>
      }
    >
      {failed && (
        <Alert tone="danger">
          Cette image ne peut pas être cadrée. Choisissez un autre fichier PNG ou JPG.
        </Alert>
      )}
      <CropFrame file={file} size={size} crop={crop} onCrop={setCrop} />
      <CropSliders size={size} crop={crop} onCrop={setCrop} />
    </Dialog>
  );
}

type CropProps = {
  readonly size: PictureSize;
  readonly crop: Crop;
  readonly onCrop: (crop: Crop) => void;
};

function CropFrame({ file, size, crop, onCrop }: CropProps & { readonly file: File }) {
  const help = useId();
  const [url, setUrl] = useState<string>();
  const gesture = useCropGesture({ size, crop, onCrop });
  useEffect(() => {
    const made = URL.createObjectURL(file);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);

  const press = (event: KeyboardEvent) => {
    const next =
      event.ctrlKey || event.metaKey || event.altKey ? null : cropByKey(event.key, size, crop);
    if (next === null) return;
    event.preventDefault();
    onCrop(next);
  };
  const { left, top, side } = croppedSquare(size, crop);
  const percent = (length: number) => `${(length / side) * 100}%`;
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a canvas of its own keys, said by its role (WAI-ARIA « application »); the sliders below do the same */}
      <div
        className={styles["frame"]}
        role="application"
        aria-roledescription="cadre"
        aria-label="Partie gardée de l’image"
        aria-describedby={help}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the arrow keys move the picture here
        tabIndex={0}
        {...gesture}
        onKeyDown={press}
      >
        {url !== undefined && (
          <img
            src={url}
            alt=""
            draggable={false}
            style={{
              width: percent(size.width),
              height: percent(size.height),
              left: percent(-left),
              top: percent(-top),
            }}
          />
        )}
      </div>
      <p className="muted small" id={help}>
        {"Glissez l’image, ou utilisez les flèches du clavier\u202f; + et − changent la taille."}
      </p>
    </>
  );
}

function CropSliders({ size, crop, onCrop }: CropProps) {
  const id = useId();
  const { side } = croppedSquare(size, crop);
  const slider = (
    name: string,
    label: string,
    part: {
      value: number;
      min: number;
      max: number;
      words: string;
      set: (value: number) => Crop;
      still?: boolean;
    },
  ) => (
    <div className={styles["slider"]}>
      <label htmlFor={`${id}-${name}`}>{label}</label>
      <input
        id={`${id}-${name}`}
        type="range"
        min={part.min}
        max={part.max}
        value={Math.round(part.value)}
        disabled={part.still}
        aria-valuetext={part.words}
        onChange={(event) => onCrop(part.set(Number(event.target.value)))}
      />
    </div>
  );
  const percent = (value: number) => `${Math.round(value)}\u00a0%`;
  const place = (at: number) => ({ value: at * 100, min: 0, max: 100, words: percent(at * 100) });
  return (
    <div className="stack stack--sm">
      {slider("taille", "Agrandissement", {
        value: crop.zoom * 100,
        min: 100,
        max: MAX_ZOOM * 100,
        words: percent(crop.zoom * 100),
        set: (value) => zoomSquare(size, crop, value / 100),
      })}
      {slider("gauche", "De gauche à droite", {
        ...place(crop.x),
        set: (value) => ({ ...crop, x: value / 100 }),
        still: size.width - side < side / 100,
      })}
      {slider("haut", "De haut en bas", {
        ...place(crop.y),
        set: (value) => ({ ...crop, y: value / 100 }),
        still: size.height - side < side / 100,
      })}
    </div>
  );
}
