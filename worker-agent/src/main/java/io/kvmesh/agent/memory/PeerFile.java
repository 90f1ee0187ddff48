package io.kvmesh.agent.memory;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/**
 * Opens a file that another process of this user has made, whatever lies in its place by now: no
 * link is followed, a FIFO isn't waited for, and what it is is asked of what was opened.
 */
final class PeerFile {

  private static final int TYPE_BITS = 0xF000;
  private static final int REGULAR = 0x8000;

  private PeerFile() {}

  /**
   * Opens it to be read.
   *
   * @throws ArenaException if it is no regular file of this user
   */
  static RandomAccessFile open(Path path) throws IOException {
    return LinuxMemory.HERE ? openByDescriptor(path) : openByName(path);
  }

  private static RandomAccessFile openByDescriptor(Path path) throws IOException {
    int descriptor = LinuxFiles.openToRead(path.toString());
    if (descriptor < 0) {
      throw noRegularFile(", " + LinuxMemory.errnoText(-descriptor));
    }
    try {
      // The one way to what is open that neither the name nor the directory leads to.
      Path opened = Path.of("/proc/self/fd/" + descriptor);
      if (((int) Files.getAttribute(opened, "unix:mode") & TYPE_BITS) != REGULAR) {
        throw noRegularFile("");
      }
      int user = LinuxFiles.effectiveUser();
      int owner = (int) Files.getAttribute(opened, "unix:uid");
      if (owner != user) {
        throw new ArenaException("it belongs to user %d instead of %d".formatted(owner, user));
      }
      return new RandomAccessFile(opened.toFile(), "r");
    } finally {
      LinuxFiles.close(descriptor);
    }
  }

  /** Where memory isn't shared in earnest: Linux alone has been tried. */
  private static RandomAccessFile openByName(Path path) throws IOException {
    if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
      throw noRegularFile("");
    }
    return new RandomAccessFile(path.toFile(), "r");
  }

  private static ArenaException noRegularFile(String why) {
    return new ArenaException("it is no regular file, or isn't there" + why);
  }
}
