package io.kvmesh.common.wire.codec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.wire.directory.DirectoryMessage;
import io.kvmesh.common.wire.directory.ErrorMsg;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The codec in a JVM without any flag prints nothing: no warnings of sun.misc.Unsafe. */
class QuietLibraryIT {

  /** What the other JVM runs. */
  static final class Main {

    private Main() {}

    public static void main(String[] args) throws WireFormatException {
      MessageCodec codec = new MessageCodec();
      byte[] bytes = codec.encode(new ErrorMsg("quiet"));
      System.out.print(codec.decode(DirectoryMessage.class, bytes));
    }
  }

  @Test
  void codec_firstUse_printsNoWarning() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName())
            .redirectErrorStream(true)
            .start();

    String printed = new String(process.getInputStream().readAllBytes(), UTF_8);

    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(printed).isEqualTo("ErrorMsg[error=quiet, code=null]");
  }
}
