import { useEffect, useRef, useState } from "react";
import { Avatar } from "../../ui/avatar/avatar.tsx";
import { Button } from "../../ui/button/button.tsx";
import { FileInput } from "../../ui/field/file-input.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { CropDialog } from "./crop-dialog.tsx";
import { type PictureSize, shrinkAvatar } from "./crop-square.ts";

type Props = {
  readonly name: string;
  readonly file: File | undefined;
  /** Without a file: the picture was removed. */
  readonly onFile: (file: File | undefined) => void;
  /** The account's stored picture. */
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
    // The pressed button disappears with the picture.
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

/** An object URL, revoked with the file. */
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
