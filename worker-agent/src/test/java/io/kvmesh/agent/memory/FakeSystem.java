package io.kvmesh.agent.memory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The files of {@code /proc} and {@code /sys} that tell of memory, below a directory. */
final class FakeSystem {

  static final long MIB = 1 << 20;

  private final Path root;

  FakeSystem(Path root) {
    this.root = root;
  }

  FakeSystem with(String file, String text) {
    Path path = root.resolve(file);
    try {
      Files.createDirectories(path.getParent());
      Files.writeString(path, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }

  FakeSystem withHost(long availableMib) {
    return with(
        "proc/meminfo",
        "MemTotal: 99999999 kB\nMemAvailable:   %d kB\nHugePages_Free:  3\nHugePages_Rsvd:  1\n"
                .formatted(availableMib * 1024)
            + "Hugepagesize:    2048 kB\n");
  }

  FakeSystem withCgroup2(String mountRoot, String ownPath) {
    return with("proc/self/cgroup", "0::" + ownPath + "\n")
        .with(
            "proc/self/mountinfo",
            "22 1 8:1 / / rw - ext4 /dev/root rw\n"
                + "35 24 0:30 %s /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
                    .formatted(mountRoot));
  }

  FakeSystem withCgroup1(String mountRoot, String ownPath) {
    return with("proc/self/cgroup", "4:cpu,cpuacct:/x\n3:memory:" + ownPath + "\n0::/\n")
        .with(
            "proc/self/mountinfo",
            "33 30 0:29 /x /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
                + "34 30 0:31 %s /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
                    .formatted(mountRoot)
                + "40 30 0:37 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  }

  /** A group of version 2, below the mount; the page cache is part of what is used. */
  FakeSystem withLimit2(String group, String limit, long usedMib, long cacheMib) {
    String directory = "sys/fs/cgroup/" + group;
    return with(directory + "/memory.max", limit + "\n")
        .with(directory + "/memory.current", usedMib * MIB + "\n")
        .with(
            directory + "/memory.stat",
            "anon 1\nfile 2\ninactive_anon 3\ninactive_file " + cacheMib * MIB + "\n");
  }

  FakeSystem withLimit1(String group, String limit, long usedMib, long cacheMib) {
    String directory = "sys/fs/cgroup/memory/" + group;
    return with(directory + "/memory.limit_in_bytes", limit + "\n")
        .with(directory + "/memory.usage_in_bytes", usedMib * MIB + "\n")
        .with(
            directory + "/memory.stat",
            "inactive_file 7\ntotal_inactive_file " + cacheMib * MIB + "\n");
  }

  AvailableMemory available() {
    return new MemoryLimits(root).available();
  }
}
