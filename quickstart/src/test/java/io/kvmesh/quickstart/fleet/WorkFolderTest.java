package io.kvmesh.quickstart.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvmesh.quickstart.QuickstartException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkFolderTest {

  private static final long NO_SUCH_PID = 99_999_999;

  @TempDir private Path parent;

  @Test
  void create_leftOverOfKilledRun_isRemoved() throws Exception {
    Files.createDirectories(parent.resolve("run-" + NO_SUCH_PID + "/kafka/x"));

    WorkFolder folder = WorkFolder.create(parent);

    assertThat(parent.resolve("run-" + NO_SUCH_PID)).doesNotExist();
    assertThat(folder.logs()).isDirectory();
  }

  @Test
  void create_folderKeptOnPurpose_stays() throws Exception {
    Path kept = Files.createDirectories(parent.resolve("run-" + NO_SUCH_PID));
    Files.writeString(kept.resolve("kept"), "");

    WorkFolder.create(parent);

    assertThat(kept).exists();
  }

  @Test
  void create_folderOfOthers_stays() throws Exception {
    Path other = Files.createDirectories(parent.resolve("run-away"));

    WorkFolder.create(parent);

    assertThat(other).exists();
  }

  @Test
  void remove_everything_isGone() throws Exception {
    WorkFolder folder = WorkFolder.create(parent);
    Files.writeString(folder.data("kafka").resolve("a"), "a");

    folder.remove();

    assertThat(folder.path()).doesNotExist();
  }

  @Test
  void create_parentIsFile_isOneClearLine() throws Exception {
    Path file = Files.writeString(parent.resolve("file"), "");

    assertThatThrownBy(() -> WorkFolder.create(file))
        .isInstanceOf(QuickstartException.class)
        .hasMessageStartingWith("can't write to " + file);
  }
}
