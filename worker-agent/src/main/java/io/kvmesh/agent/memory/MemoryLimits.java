package io.kvmesh.agent.memory;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Reads how much memory is left to this process: of the host (MemAvailable) and of each cgroup
 * above it, version 2 or 1. Where the cgroup's path as this process sees it doesn't lie under the
 * mounted tree, as in a container without a cgroup namespace, the root of the mount is its cgroup.
 */
final class MemoryLimits {

  /** Version 1 writes "no limit" as the greatest multiple of a page, about 2^63. */
  private static final long NO_LIMIT = 1L << 60;

  /** Files of a version of cgroups. */
  private enum Version {
    TWO("cgroup2", "memory.max", "memory.current", "inactive_file"),
    ONE("cgroup", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file");

    private final String fileSystem;
    private final String limit;
    private final String usage;
    private final String reclaimable;

    Version(String fileSystem, String limit, String usage, String reclaimable) {
      this.fileSystem = fileSystem;
      this.limit = limit;
      this.usage = usage;
      this.reclaimable = reclaimable;
    }
  }

  private final Path root;

  /**
   * @param root the directory in which {@code proc} and {@code sys} are
   */
  MemoryLimits(Path root) {
    this.root = root;
  }

  AvailableMemory available() {
    List<AvailableMemory.Known> known = new ArrayList<>();
    OptionalLong host = new SystemMemory(root).availableBytes();
    if (host.isPresent()) {
      known.add(
          new AvailableMemory.Known(
              host.getAsLong(), "MemAvailable in " + root.resolve("proc/meminfo")));
    }
    for (Version version : Version.values()) {
      addCgroups(version, known);
    }
    Optional<AvailableMemory.Known> least =
        known.stream().min(Comparator.comparingLong(AvailableMemory.Known::bytes));
    return least.isPresent()
        ? least.get()
        : new AvailableMemory.Unknown(
            "neither %s nor a cgroup says it".formatted(root.resolve("proc/meminfo")));
  }

  private void addCgroups(Version version, List<AvailableMemory.Known> known) {
    for (String line : SystemMemory.text(root.resolve("proc/self/mountinfo")).lines().toList()) {
      Mount mount = Mount.parse(line);
      if (mount != null && mount.isOf(version)) {
        Path top = inRoot(mount.point);
        Path cgroup = top.resolve(below(mount.root, ownPath(version)));
        for (Path at = cgroup; at != null && at.startsWith(top); at = at.getParent()) {
          addCgroup(version, at, known);
        }
        return;
      }
    }
  }

  private static void addCgroup(Version version, Path at, List<AvailableMemory.Known> known) {
    OptionalLong limit = SystemMemory.number(SystemMemory.text(at.resolve(version.limit)));
    if (limit.isEmpty() || limit.getAsLong() >= NO_LIMIT) {
      return;
    }
    long usage = SystemMemory.number(SystemMemory.text(at.resolve(version.usage))).orElse(0);
    String statistics = SystemMemory.text(at.resolve("memory.stat"));
    long reclaimable = SystemMemory.value(statistics, version.reclaimable).orElse(0);
    long used = Math.max(0, usage - reclaimable);
    known.add(
        new AvailableMemory.Known(
            Math.max(0, limit.getAsLong() - used), at.resolve(version.limit).toString()));
  }

  /** Lines are {@code ID:CONTROLLERS:PATH}; of version 2 there are no controllers. */
  private String ownPath(Version version) {
    for (String line : SystemMemory.text(root.resolve("proc/self/cgroup")).lines().toList()) {
      String[] parts = line.split(":", 3);
      if (parts.length == 3) {
        List<String> controllers = List.of(parts[1].split(",", -1));
        if (version == Version.TWO ? parts[1].isEmpty() : controllers.contains("memory")) {
          return parts[2];
        }
      }
    }
    return "/";
  }

  private static String below(String mountRoot, String path) {
    String top = mountRoot.equals("/") ? "" : mountRoot;
    boolean inside = path.equals(top) || path.startsWith(top + "/");
    boolean outside = Arrays.asList(path.split("/", -1)).contains("..");
    return inside && !outside ? path.substring(top.length()).replaceFirst("^/", "") : "";
  }

  private Path inRoot(String absolute) {
    return root.resolve(absolute.replaceFirst("^/", ""));
  }

  /** A line of mountinfo: {@code ID PARENT DEVICE ROOT POINT OPTIONS... - TYPE SOURCE OPTIONS}. */
  private record Mount(String root, String point, String fileSystem, List<String> options) {

    static @Nullable Mount parse(String line) {
      String[] halves = line.split(" - ", 2);
      String[] before = halves[0].split(" ", -1);
      String[] after = halves.length == 2 ? halves[1].split(" ", -1) : new String[0];
      return before.length < 5 || after.length < 3
          ? null
          : new Mount(before[3], before[4], after[0], List.of(after[2].split(",", -1)));
    }

    boolean isOf(Version version) {
      return fileSystem.equals(version.fileSystem)
          && (version == Version.TWO || options.contains("memory"));
    }
  }
}
