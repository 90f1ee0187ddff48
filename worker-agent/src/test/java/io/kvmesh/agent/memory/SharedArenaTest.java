package io.kvmesh.agent.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An arena in a file that others map. */
class SharedArenaTest {

  private static final long SIZE = 3 * 4096 + 17;

  /** The arena, its generations and its header. */
  private static final long FILE_SIZE = 4 * 4096 + 4096 + 4096;

  @TempDir private Path directory;
  private Path file;

  @BeforeEach
  void name() {
    file = directory.resolve("arena");
  }

  private PageArena open(long byteSize) {
    return PageArena.open(
        new ArenaOptions(byteSize, Optional.of(file), Map.of(), OptionalInt.empty()));
  }

  private MemorySegment map(Arena lifetime) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      return channel.map(FileChannel.MapMode.READ_ONLY, 0, SIZE, lifetime);
    }
  }

  @Test
  void whatIsWritten_isSeenThroughTheFile() throws IOException {
    try (PageArena arena = open(SIZE);
        Arena lifetime = Arena.ofShared()) {
      assertThat(arena.byteSize()).isEqualTo(SIZE);
      assertThat(arena.file()).contains(file);
      MemorySegment other = map(lifetime);
      assertThat(other.get(ValueLayout.JAVA_BYTE, SIZE - 1)).isZero();
      arena.bytes().fill((byte) 7);
      assertThat(other.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 7);
      assertThat(other.get(ValueLayout.JAVA_BYTE, SIZE - 1)).isEqualTo((byte) 7);
    }
  }

  @Test
  void theFile_isOfItsOwnerAlone() throws IOException {
    try (PageArena arena = open(SIZE)) {
      assertThat(arena.byteSize()).isEqualTo(SIZE);
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
          .isEqualTo("rw-------");
    }
  }

  @Test
  void close_removesTheFile_andWhoMappedItKeepsItsBytes() throws IOException {
    PageArena arena = open(SIZE);
    arena.bytes().fill((byte) 7);
    try (Arena lifetime = Arena.ofShared()) {
      MemorySegment other = map(lifetime);
      arena.removeFile();
      assertThat(file).doesNotExist();
      arena.close();
      arena.close();
      assertThat(other.get(ValueLayout.JAVA_BYTE, SIZE - 1)).isEqualTo((byte) 7);
    }
    open(SIZE).close();
    assertThat(file).doesNotExist();
  }

  @Test
  void aFileInUse_isRefusedAndLeftAlone() {
    try (PageArena first = open(SIZE)) {
      first.bytes().fill((byte) 7);
      assertThatThrownBy(() -> open(SIZE))
          .isInstanceOf(ArenaException.class)
          .hasMessageContaining(file.toString())
          .hasMessageContaining("in use");
      assertThat(file).hasSize(FILE_SIZE);
      assertThat(first.bytes().get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 7);
    }
  }

  /** Left by a process that was killed: its lock's file is there, and not locked. */
  @Test
  void aFileLeftBehind_isReplacedByOneOfZeros() throws IOException {
    Files.write(directory.resolve("arena.lock"), new byte[0]);
    Files.write(file, new byte[] {9, 9, 9});
    try (PageArena arena = open(SIZE)) {
      assertThat(arena.bytes().get(ValueLayout.JAVA_BYTE, 0)).isZero();
      assertThat(file).hasSize(FILE_SIZE);
    }
  }

  @Test
  void aFileThatNoArenaLeft_isRefusedAndLeftAlone() throws IOException {
    Files.write(file, new byte[] {9, 9, 9});
    assertThatThrownBy(() -> open(SIZE))
        .isInstanceOf(ArenaException.class)
        .hasMessageContaining(file.toString());
    assertThat(file).hasBinaryContent(new byte[] {9, 9, 9});
  }

  @Test
  void aFileLargerThanItsFileSystem_isRefusedWithBothSizes() throws IOException {
    long usable = Files.getFileStore(directory).getUsableSpace();
    assertThatThrownBy(() -> open(usable + (1L << 40)))
        .isInstanceOf(ArenaException.class)
        .hasMessageContaining(Long.toString(usable + (1L << 40)))
        .hasMessageContaining("bytes free");
    assertThat(file).doesNotExist();
    open(SIZE).close();
  }

  @Test
  void aDirectoryThatIsNotThere_isNamed() {
    file = directory.resolve("nowhere/arena");
    assertThatThrownBy(() -> open(SIZE))
        .isInstanceOf(ArenaException.class)
        .hasMessageContaining(file.toString());
  }

  @Test
  void hugetlbElsewhereThanOnHugetlbfs_isNotHad() {
    ArenaOptions options =
        new ArenaOptions(
            SIZE,
            Optional.of(file),
            Map.of(MemoryFeature.HUGETLB, Demand.WANTED, MemoryFeature.PREFAULT, Demand.WANTED),
            OptionalInt.empty());
    try (PageArena arena = PageArena.open(options)) {
      assertThat(arena.features())
          .filteredOn(FeatureOutcome::missing)
          .singleElement()
          .satisfies(
              missing -> {
                assertThat(missing.feature()).isEqualTo(MemoryFeature.HUGETLB);
                assertThat(missing.reason()).contains("not on hugetlbfs");
              });
    }
  }
}
