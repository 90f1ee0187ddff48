package io.kvmesh.controller;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Which package may use which. */
class ArchitectureTest {

  private static final String ROOT = "io.kvmesh.controller";
  private static JavaClasses classes;

  @BeforeAll
  static void load() {
    classes =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.kvmesh");
  }

  /** Everybody may use itself, io.kvmesh.common and what follows here. */
  static Stream<Arguments> allowed() {
    return Stream.of(
        // The views and the log know nobody: they are what the others are made of.
        Arguments.of("registry", List.of()),
        Arguments.of("index", List.of()),
        Arguments.of("index.redis", List.of("index")),
        Arguments.of("log", List.of()),
        // Told by those who change something; read by people.
        Arguments.of("trail", List.of()),
        // The index's only writer.
        Arguments.of("ingest", List.of("index", "index.redis", "registry", "log", "trail")),
        // A pure function of index and registry.
        Arguments.of("lookup", List.of("index", "registry")),
        // A command changes nothing here: its effect comes back over the log.
        Arguments.of("command", List.of("registry", "trail")),
        // The front speaks for foreign workers on the log; it never touches the index.
        Arguments.of("lmcache", List.of("log", "lookup", "registry")),
        // So does who listens to engines.
        Arguments.of("vllm", List.of("log", "registry")),
        Arguments.of("web", List.of("lookup", "command", "registry", "index", "trail")),
        // LMCache's shapes of the same.
        Arguments.of("web.lmcache", List.of("web", "lookup", "command", "registry")),
        Arguments.of("web.access", List.of("web")),
        // Read sides of everything that counts.
        Arguments.of(
            "ops",
            List.of(
                "web.access",
                "ingest",
                "index",
                "registry",
                "lookup",
                "lmcache",
                "vllm",
                "log",
                "command")));
  }

  @ParameterizedTest
  @MethodSource("allowed")
  void package_usesOnlyWhatItMay(String name, List<String> others) {
    String[] usable =
        Stream.concat(Stream.of(name), others.stream())
            .map(other -> ROOT + "." + other)
            .toArray(String[]::new);
    classes()
        .that()
        .resideInAPackage(ROOT + "." + name)
        .should()
        .onlyDependOnClassesThat(
            resideOutsideOfPackage("io.kvmesh..")
                .or(resideInAnyPackage("io.kvmesh.common.."))
                .or(resideInAnyPackage(usable)))
        .because("the design gives each package its neighbours")
        .check(classes);
  }

  @Test
  void everyPackage_hasARule() {
    String[] known =
        Stream.concat(
                allowed().map(arguments -> ROOT + "." + arguments.get()[0]),
                Stream.of(ROOT, ROOT + ".config"))
            .toArray(String[]::new);

    check(classes().that().resideInAPackage(ROOT + "..").should().resideInAnyPackage(known));
  }

  @Test
  void wiring_isUsedByTheMainClassOnly() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackages(ROOT, ROOT + ".config")
            .should()
            .dependOnClassesThat()
            .resideInAPackage(ROOT + ".config"));
  }

  @Test
  void modules_neverUseEachOther() {
    check(
        noClasses()
            .that()
            .resideInAPackage(ROOT + "..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                "io.kvmesh.agent..", "io.kvmesh.embedded..", "io.kvmesh.quickstart.."));
  }

  @Test
  void libraries_haveTheirPlaces() {
    check(onlyIn("org.zeromq..", "none"));
    check(onlyIn("zmq..", "none"));
    check(onlyIn("io.lettuce..", ROOT + ".index.redis"));
    check(onlyIn("org.apache.kafka..", ROOT + ".ingest", ROOT + ".log"));
    check(onlyIn("org.springframework..", ROOT, ROOT + ".config", ROOT + ".web..", ROOT + ".ops"));
    check(onlyIn("jakarta.servlet..", ROOT + ".web..", ROOT + ".config"));
    check(onlyIn("io.swagger..", ROOT + ".web"));
    check(onlyIn("org.springdoc..", ROOT + ".web"));
    check(onlyIn("io.micrometer..", ROOT + ".config", ROOT + ".ops"));
  }

  private static ArchRule onlyIn(String library, String... packages) {
    return noClasses()
        .that()
        .resideInAPackage(ROOT + "..")
        .and()
        .resideOutsideOfPackages(packages)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(library);
  }

  @Test
  void packages_haveNoCycles() {
    check(slices().matching(ROOT + ".(*)..").should().beFreeOfCycles());
  }

  private static void check(ArchRule rule) {
    rule.check(classes);
  }
}
