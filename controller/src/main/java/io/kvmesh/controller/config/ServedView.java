package io.kvmesh.controller.config;

import static java.util.Objects.requireNonNull;

import io.kvmesh.controller.index.ChunkIndex;
import io.kvmesh.controller.index.LocalView;
import io.kvmesh.controller.index.MemoryIndex;
import io.kvmesh.controller.index.WorkersOnly;
import io.kvmesh.controller.registry.WorkerRegistry;

/**
 * The view that answers lookups, as the settings say.
 *
 * @param local what this controller's own reader of the log fills
 */
record ServedView(ChunkIndex index, LocalView local) {

  static ServedView of(
      ControllerSettings.Index settings, DurableView durable, WorkerRegistry registry) {
    return switch (settings.serveFrom()) {
      case REDIS ->
          new ServedView(
              new DurableServing(requireNonNull(durable.index()), registry), new WorkersOnly());
      case MEMORY -> inMemory(settings.maxPlacements());
    };
  }

  private static ServedView inMemory(long most) {
    MemoryIndex index = most == 0 ? new MemoryIndex() : new MemoryIndex(most);
    return new ServedView(index, index);
  }
}
