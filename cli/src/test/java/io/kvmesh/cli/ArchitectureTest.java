package io.kvmesh.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** What this module may use. */
@AnalyzeClasses(packages = "io.kvmesh.cli", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule USES_REST_ALONE =
      classes()
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "io.kvmesh.cli",
              "java..",
              "javax.net.ssl..",
              "javax.security.auth.x500..",
              "org.jspecify..",
              "picocli",
              "tools.jackson..")
          .because("what the REST can't tell is no business of the command line");
}
