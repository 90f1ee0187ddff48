package io.kvmesh.agent.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reading another process's arena, which does what it likes. */
class MappedArenaTest {

  private static final int PAGE = 1 << 20;
  private static final int PAGES = 4;
  private static final long EPOCH = 42;

  @TempDir private Path directory;
  private Path file;
  private PageArena owner;
  private PageAllocator pages;

  @BeforeEach
  void open() {
    file = directory.resolve("arena");
    owner = ownerAt(file);
    pages = new PageAllocator(owner, PAGE);
  }

  @AfterEach
  void close() {
    owner.close();
  }

  private static PageArena ownerAt(Path file) {
    PageArena arena =
        PageArena.open(
            new ArenaOptions(
                (long) PAGES * PAGE, Optional.of(file), Map.of(), OptionalInt.empty()));
    arena.tellEpoch(EPOCH);
    return arena;
  }

  private ArenaIdentity identity() {
    return owner.identity().orElseThrow();
  }

  private MappedArena map() {
    return MappedArena.map(directory, identity(), EPOCH);
  }

  private void assertRefused(ArenaIdentity identity, long epoch, String reason) {
    assertThatThrownBy(() -> MappedArena.map(directory, identity, epoch))
        .isInstanceOf(ArenaException.class)
        .hasMessageContaining(reason);
  }

  /** Changes a number in the header. */
  private void patch(long at, long value) throws IOException {
    long header = new ArenaFileLayout(owner.byteSize()).headerOffset();
    ByteBuffer bytes =
        ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder()).putLong(0, value);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(bytes, header + at);
    }
  }

  private void truncate(long size) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(size);
    }
  }

  private static boolean read(MappedArena mapped, long offset, int generation, MemorySegment into) {
    return mapped.read(offset, generation, into, part -> {});
  }

  @Test
  void whatTheOwnerWrote_isRead() {
    int page = pages.tryAllocate();
    pages.segment(page).fill((byte) 7);
    try (MappedArena mapped = map();
        Arena memory = Arena.ofConfined()) {
      MemorySegment target = memory.allocate(PAGE);
      assertThat(read(mapped, pages.offset(page), pages.generation(page), target)).isTrue();
      assertThat(target.mismatch(pages.segment(page))).isEqualTo(-1);
      assertThat(mapped.broken()).isFalse();
    }
  }

  @Test
  void aPageThatIsTakenBackWhileItIsCopied_isTold() {
    pages.tryAllocate();
    int page = pages.tryAllocate();
    int generation = pages.generation(page);
    pages.segment(page).fill((byte) 7);
    try (MappedArena mapped = map();
        Arena memory = Arena.ofConfined()) {
      MemorySegment target = memory.allocate(PAGE);
      AtomicInteger parts = new AtomicInteger();
      boolean same =
          mapped.read(
              pages.offset(page),
              generation,
              target,
              part -> {
                if (parts.getAndIncrement() == 0) {
                  reuse(page);
                }
              });
      assertThat(parts).as("parts").hasValueGreaterThan(1);
      assertThat(same).isFalse();
      assertThat(mapped.broken()).isFalse();
      assertThat(read(mapped, pages.offset(page), generation, target)).as("later").isFalse();
      assertThat(read(mapped, pages.offset(page), pages.generation(page), target)).isTrue();
      assertThat(read(mapped, 0, pages.generation(0), target)).as("its neighbour").isTrue();
    }
  }

  private void reuse(int page) {
    pages.free(page);
    pages.segment(page).fill((byte) 9);
  }

  @Test
  void aRangeThatOthersCover_isTold() {
    RangeAllocator ranges = new RangeAllocator(owner);
    ranges.tryAllocate(4096);
    long range = ranges.tryAllocate(3 * 4096);
    int generation = ranges.generation(range);
    ranges.free(range);
    ranges.free(0);
    assertThat(ranges.tryAllocate(5 * 4096)).as("covers it").isZero();
    assertThat(ranges.generation(range)).isNotEqualTo(generation);
  }

  @Test
  void readsOutsideOfIt_areErrors() {
    try (MappedArena mapped = map();
        Arena memory = Arena.ofConfined()) {
      MemorySegment target = memory.allocate(PAGE);
      for (long offset : new long[] {-1, owner.byteSize() - PAGE + 1, Long.MAX_VALUE}) {
        assertThatThrownBy(() -> read(mapped, offset, 0, target))
            .isInstanceOf(IndexOutOfBoundsException.class);
      }
    }
  }

  @Test
  void aFileOfAnotherLife_isRefused() {
    assertRefused(identity(), EPOCH + 1, "another epoch: 42 instead of 43");
  }

  @Test
  void aFileWithAnotherId_isRefused() {
    UUID other = UUID.randomUUID();
    assertRefused(new ArenaIdentity("arena", owner.byteSize(), other), EPOCH, "another id");
  }

  @Test
  void aFileOfAnotherSizeThanWasTold_isRefused() {
    UUID id = identity().id();
    assertRefused(new ArenaIdentity("arena", owner.byteSize() + PAGE, id), EPOCH, "bytes instead");
    assertRefused(new ArenaIdentity("arena", owner.byteSize() - PAGE, id), EPOCH, "header says");
    assertRefused(new ArenaIdentity("arena", 0, id), EPOCH, "0");
    assertRefused(new ArenaIdentity("arena", Long.MAX_VALUE, id), EPOCH, "has 1 to");
  }

  @Test
  void aFileOfALaterFormat_isRefused() throws IOException {
    patch(ArenaFileLayout.FORMAT_AT, 2);
    assertRefused(identity(), EPOCH, "says format 2, this version maps format 1 only: upgrade");
  }

  @Test
  void aFileThatIsNoArena_isRefused() throws IOException {
    patch(ArenaFileLayout.MAGIC_AT, 0);
    assertRefused(identity(), EPOCH, "another magic");
  }

  @Test
  void aFileThatIsTooShort_isRefused() throws IOException {
    truncate(new ArenaFileLayout(owner.byteSize()).fileBytes() - 1);
    assertRefused(identity(), EPOCH, "bytes instead of");
    truncate(0);
    assertRefused(identity(), EPOCH, "0 bytes instead of");
  }

  @Test
  void aFileThatIsTooLong_isRefused() throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.allocate(1), channel.size());
    }
    assertRefused(identity(), EPOCH, "another file's size");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", ".", "..", "../arena", "/arena", "sub/arena", "arena/", "./arena", "a\0b"})
  void aNameThatIsNone_isRefused(String name) throws IOException {
    Files.createDirectories(directory.resolve("sub"));
    Files.copy(file, directory.resolve("sub/arena"));
    assertRefused(
        new ArenaIdentity(name, owner.byteSize(), identity().id()), EPOCH, "no name of a file");
  }

  @Test
  void aNameWithOddCharacters_isAName() throws IOException {
    Path odd = directory.resolve("ä b\n'\\%s");
    Files.move(file, odd, StandardCopyOption.ATOMIC_MOVE);
    MappedArena.map(
            directory, new ArenaIdentity("ä b\n'\\%s", owner.byteSize(), identity().id()), EPOCH)
        .close();
    Files.move(odd, file);
  }

  @Test
  void aSymbolicLink_isRefused_alsoToTheRightFile() throws IOException {
    Path real = directory.resolve("real");
    Files.move(file, real);
    Files.createSymbolicLink(file, real);
    assertRefused(identity(), EPOCH, "no regular file");
    Files.delete(file);
    Files.createDirectory(file);
    assertRefused(identity(), EPOCH, "no regular file");
    Files.delete(file);
    assertRefused(identity(), EPOCH, "no regular file");
  }

  @Test
  void aFifo_isRefusedAndNotWaitedFor() throws Exception {
    Files.move(file, directory.resolve("real"));
    assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor()).isZero();
    assertTimeoutPreemptively(
        Duration.ofSeconds(10),
        () ->
            assertThatThrownBy(() -> PeerFile.open(file))
                .isInstanceOf(ArenaException.class)
                .hasMessageContaining("no regular file"));
    assertRefused(identity(), EPOCH, "no regular file");
    Files.delete(file);
  }

  @Test
  void aFileOfAnotherUser_isRefused() throws IOException {
    assumeTrue(Files.getAttribute(file, "unix:uid").equals(0), "only root can give files away");
    Files.setAttribute(file, "unix:uid", 12345);
    assertRefused(identity(), EPOCH, "belongs to user 12345 instead of 0");
    Files.setAttribute(file, "unix:uid", 0);
    map().close();
  }

  @Test
  void aFileThatIsCutOffWhileItIsMapped_makesReadsFail() throws IOException {
    pages.tryAllocate();
    try (Arena memory = Arena.ofConfined()) {
      MemorySegment target = memory.allocate(PAGE);
      for (int round = 0; round < 200; round++) {
        try (MappedArena mapped = map()) {
          assertThat(read(mapped, 0, pages.generation(0), target)).as("before").isTrue();
        }
      }
      MappedArena mapped = map();
      truncate(0);
      for (int round = 0; round < 200; round++) {
        assertThat(read(mapped, 0, 0, target)).as("after").isFalse();
        assertThat(mapped.broken()).isTrue();
      }
      mapped.close();
      assertRefused(identity(), EPOCH, "0 bytes instead of");
    }
  }

  @Test
  void anOwnerThatEnds_leavesItsBytesToWhoMappedThem_andItsNameToAnother() {
    int page = pages.tryAllocate();
    pages.segment(page).fill((byte) 7);
    int generation = pages.generation(page);
    MappedArena mapped = map();
    ArenaIdentity former = identity();
    owner.close();
    owner = ownerAt(file);
    owner.bytes().fill((byte) 9);
    assertRefused(former, EPOCH, "another id");
    try (Arena memory = Arena.ofConfined()) {
      MemorySegment target = memory.allocate(PAGE);
      assertThat(read(mapped, 0, generation, target)).isTrue();
      assertThat(target.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 7);
    }
    mapped.close();
  }

  @Test
  void theLastUseThatEnds_unmapsIt() throws IOException {
    MappedArena mapped = map();
    MappedArena second = mapped.use();
    assertThat(mappings()).isEqualTo(2);
    mapped.close();
    assertThat(mappings()).as("one use is left").isEqualTo(2);
    second.close();
    await().untilAsserted(() -> assertThat(mappings()).as("the owner's own").isEqualTo(1));
    assertThatThrownBy(mapped::use).isInstanceOf(IllegalStateException.class);
  }

  private long mappings() throws IOException {
    try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
      return lines.filter(line -> line.contains(file.toString())).count();
    }
  }

  @Test
  void generations_areNotThoseOfMemoryOfThisProcessAlone() {
    try (PageArena alone = PageArena.anonymous(PAGE)) {
      PageAllocator one = new PageAllocator(alone, PAGE);
      one.free(one.tryAllocate());
      assertThat(one.generation(0)).isZero();
      assertThat(alone.identity()).isEmpty();
    }
  }
}
