import { useMediaQuery } from "../../../lib/browser/use-media-query.ts";
import { ViewerSkeleton } from "../../../pdf/viewer-skeleton.tsx";
import { BottomDock, SidePanel } from "../../../ui/editor-frame/editor-frame.tsx";
import { Skeleton, SkeletonRows } from "../../../ui/skeleton/skeleton.tsx";
import editorStyles from "./draft-editor.module.css";
import { EditBar } from "./fields/edit-bar.tsx";
import fieldStyles from "./fields-step.module.css";
import { PREPARE_STEPS, type PrepareStep } from "./steps.ts";

const nothing = () => undefined;

export function EditorSkeleton({ step }: { readonly step: PrepareStep }) {
  const index = PREPARE_STEPS.findIndex((entry) => entry.step === step);
  const next = step === "send" ? "Envoyer" : "Continuer";
  return (
    <div className={editorStyles.editor} data-step={step} aria-busy="true">
      <div className={editorStyles.head} inert>
        <EditBar
          title="Ouverture du brouillon"
          status={{ kind: "clean" }}
          sending={0}
          step={index}
          reached={index}
          unfinished={null}
          onStep={nothing}
          onRetry={nothing}
          actions={{
            back: index > 0 ? nothing : null,
            next: nothing,
            nextLabel: next,
            dockLabel: next,
            note: null,
            isBlocked: true,
            isBusy: false,
          }}
        />
      </div>
      {step === "fields" ? <FieldsSkeleton /> : <StepSkeleton />}
    </div>
  );
}

function StepSkeleton() {
  return (
    <main className="main main--form stack" id="contenu">
      <Skeleton width="50%" height={34} />
      <div className="card">
        <SkeletonRows rows={4} label="Chargement du brouillon" />
      </div>
    </main>
  );
}

export function FieldsSkeleton() {
  const isWide = useMediaQuery("(min-width: 1024px)");
  return (
    <main className={fieldStyles.editor} id="contenu">
      {isWide ? <PanelSkeleton edge="start" rows={9} /> : null}
      <ViewerSkeleton label="Ouverture des pages" />
      {isWide ? (
        <PanelSkeleton edge="end" rows={3} />
      ) : (
        <BottomDock place="editor">
          <Skeleton width="100%" height={44} />
          <Skeleton width="100%" height={44} />
          <Skeleton width="100%" height={48} />
        </BottomDock>
      )}
    </main>
  );
}

function PanelSkeleton({ edge, rows }: { readonly edge: "start" | "end"; readonly rows: number }) {
  return (
    <SidePanel edge={edge} label="Chargement">
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} width="100%" height={44} />
      ))}
    </SidePanel>
  );
}
