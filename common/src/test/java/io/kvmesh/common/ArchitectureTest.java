package io.kvmesh.common;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** What may use what within this module. */
@AnalyzeClasses(packages = "io.kvmesh.common", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule KNOWS_NO_FRAMEWORK =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("org.springframework..", "org.apache.kafka..", "io.lettuce..")
          .because("frameworks and clients of other systems belong to the programs");

  @ArchTest
  static final ArchRule JEROMQ_ONLY_IN_ZMQ =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.kvmesh.common.zmq..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("org.zeromq..", "zmq..")
          .because("its traps are dealt with in one place");

  @ArchTest
  static final ArchRule MSGPACK_ONLY_IN_CODEC =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.kvmesh.common.wire.codec..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("org.msgpack..")
          .because("the codec knows the rules of the bytes");

  @ArchTest
  static final ArchRule JACKSON_ONLY_IN_CODEC =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.kvmesh.common.wire.codec..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("tools.jackson..")
          .because("JSON is another form of a message's bytes");

  @ArchTest
  static final ArchRule MICROMETER_ONLY_IN_TRACE =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.kvmesh.common.trace..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.micrometer..", "io.opentelemetry..")
          .because("whoever uses the rest doesn't have it on its class path");

  @ArchTest
  static final ArchRule HASHES_USE_KEYS_ALONE =
      noClasses()
          .that()
          .resideInAPackage("io.kvmesh.common.hash..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.kvmesh.common.wire..", "io.kvmesh.common.zmq..")
          .because("they turn numbers into keys");

  @ArchTest
  static final ArchRule KEYS_USE_NOTHING =
      noClasses()
          .that()
          .resideInAPackage("io.kvmesh.common.key..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.kvmesh.common.wire..", "io.kvmesh.common.zmq..")
          .because("they are what everything else is named by");

  @ArchTest
  static final ArchRule SOCKETS_DONT_KNOW_MESSAGES =
      noClasses()
          .that()
          .resideInAPackage("io.kvmesh.common.zmq..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.kvmesh.common.wire..", "io.kvmesh.common.key..")
          .because("a socket moves bytes");

  @ArchTest
  static final ArchRule NO_TANGLES =
      slices().matching("io.kvmesh.common.(**)").should().beFreeOfCycles();
}
