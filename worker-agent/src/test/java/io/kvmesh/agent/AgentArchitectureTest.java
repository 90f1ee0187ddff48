package io.kvmesh.agent;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which package may use which; why is in the design. */
class AgentArchitectureTest {

  private static final String AGENT = "io.kvmesh.agent.";

  private static final JavaClasses AGENT_CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.kvmesh.agent");

  @ParameterizedTest
  @CsvSource({
    "memory,       ''",
    "cache.policy, common",
    "cache,        memory cache.policy common",
    "event,        cache memory common",
    "transfer,     cache memory common",
    "directory,    common",
    "drain,        cache directory transfer common",
    "fleet,        cache directory transfer common",
    "engine,       cache transfer fleet common",
    "engine.tcp,   engine cache memory transfer fleet common",
    "engine.lm,    engine.tcp cache common",
    "control,      cache transfer drain fleet common",
    "ops,          cache memory directory transfer drain fleet control engine engine.tcp event"
        + " common"
  })
  void eachPackage_usesNoneButThese(String name, String allowed) {
    List<String> packages = new ArrayList<>(List.of(AGENT + name));
    for (String other : allowed.isEmpty() ? new String[0] : allowed.split(" ")) {
      packages.add(other.equals("common") ? "io.kvmesh.common.." : AGENT + other);
    }
    DescribedPredicate<JavaClass> ours = resideInAPackage("io.kvmesh..");
    DescribedPredicate<JavaClass> allowedOnes = resideInAnyPackage(packages.toArray(String[]::new));
    noClasses()
        .that()
        .resideInAPackage(AGENT + name)
        .should()
        .dependOnClassesThat(ours.and(DescribedPredicate.not(allowedOnes)))
        .check(AGENT_CLASSES);
  }

  @Test
  void theAgent_neverUsesTheController() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.kvmesh.controller..", "io.kvmesh.embedded..")
        .check(AGENT_CLASSES);
  }

  @Test
  void memory_usesTheJdkAlone() {
    classes()
        .that()
        .resideInAPackage(AGENT + "memory")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(AGENT + "memory", "java..", "org.jspecify..", "com.google.errorprone..")
        .check(AGENT_CLASSES);
  }

  @Test
  void zeroMq_isKnownToItsPackageInCommonAlone() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.zeromq..", "zmq..")
        .check(AGENT_CLASSES);
  }

  @Test
  void kafka_isKnownToTheEventsAlone() {
    noClasses()
        .that()
        .resideOutsideOfPackage(AGENT + "event")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.apache.kafka..", "org.springframework.kafka..")
        .check(AGENT_CLASSES);
  }

  @Test
  void spring_isKnownToConfigAndOpsAlone() {
    noClasses()
        .that()
        .resideInAnyPackage(
            AGENT + "memory",
            AGENT + "cache..",
            AGENT + "event",
            AGENT + "transfer",
            AGENT + "directory",
            AGENT + "drain",
            AGENT + "fleet",
            AGENT + "engine..",
            AGENT + "control")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.springframework..")
        .check(AGENT_CLASSES);
  }

  @Test
  void packages_haveNoCycles() {
    SlicesRuleDefinition.slices()
        .matching("io.kvmesh.agent.(**)")
        .should()
        .beFreeOfCycles()
        .check(AGENT_CLASSES);
  }
}
