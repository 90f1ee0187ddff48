package io.kvmesh.quickstart;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The programs run on class paths of their own; only the agent's policies are used from here. */
class QuickstartArchitectureTest {

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.kvmesh.quickstart");

  @Test
  void programs_areNotUsed_butForThePolicies() {
    noClasses()
        .should()
        .dependOnClassesThat(
            resideInAnyPackage(
                    "io.kvmesh.agent..", "io.kvmesh.controller..", "io.kvmesh.embedded..")
                .and(resideOutsideOfPackage("io.kvmesh.agent.cache.policy")))
        .check(CLASSES);
  }

  @Test
  void policies_areUsedBySimulationAlone() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.kvmesh.quickstart.simulate")
        .should()
        .dependOnClassesThat(resideInAnyPackage("io.kvmesh.agent.."))
        .check(CLASSES);
  }
}
