package io.kvmesh.quickstart.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.jar.JarFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClassPathTest {

  @TempDir private Path folder;
  private Path classes;
  private Path library;

  @BeforeEach
  void fill() throws Exception {
    classes = Files.createDirectories(folder.resolve("some-module/target/classes"));
    Files.createDirectories(classes.resolve("a/b"));
    Files.writeString(classes.resolve("a/b/C.class"), "c");
    library = Files.writeString(folder.resolve("library.jar"), "l");
  }

  @Test
  void inJars_folder_isPackedWithItsFolders_libraryStays() throws Exception {
    String[] jars = classPath().inJars(folder).split(File.pathSeparator, -1);

    assertThat(jars).hasSize(2);
    assertThat(jars[1]).isEqualTo(library.toString());
    assertThat(Path.of(jars[0]).getFileName().toString()).startsWith("some-module-");
    try (JarFile jar = new JarFile(jars[0])) {
      // Who looks for all classes of a package asks for its folder.
      assertThat(jar.getEntry("a/b/").isDirectory()).isTrue();
      assertThat(jar.getEntry("a/b/C.class").getSize()).isEqualTo(1);
    }
  }

  @Test
  void inJars_sameClasses_jarThatIsMadeAgainHasTheSameNameAndTime() throws Exception {
    String first = classPath().inJars(folder);
    Path jar = Path.of(first.split(File.pathSeparator, -1)[0]);
    FileTime time = Files.getLastModifiedTime(jar);
    Files.delete(jar);

    assertThat(classPath().inJars(folder)).isEqualTo(first);
    assertThat(Files.getLastModifiedTime(jar)).isEqualTo(time);
  }

  @Test
  void keyAndJar_changedClass_areOthers() throws Exception {
    String key = classPath().key("");
    String jars = classPath().inJars(folder);

    Files.setLastModifiedTime(classes.resolve("a/b/C.class"), FileTime.fromMillis(1));

    assertThat(classPath().key("")).isNotEqualTo(key);
    assertThat(classPath().inJars(folder)).isNotEqualTo(jars);
  }

  @Test
  void key_changedLibraryOrOtherJvm_isAnother() throws Exception {
    String key = classPath().key("25");

    assertThat(classPath().key("25")).isEqualTo(key);
    assertThat(classPath().key("26")).isNotEqualTo(key);
    Files.writeString(library, "longer");
    assertThat(classPath().key("25")).isNotEqualTo(key);
  }

  private ClassPath classPath() {
    return new ClassPath(classes + File.pathSeparator + library);
  }
}
