package io.kvmesh.embedded;

import java.util.concurrent.CountDownLatch;

/** {@link EmbeddedRedis} as a process of its own. */
public final class RedisMain {

  private RedisMain() {}

  public static void main(String[] args) throws InterruptedException {
    System.setProperty("logback.configurationFile", "kvmesh-embedded-logback.xml");
    Service.run(
        "redis",
        args,
        options -> EmbeddedRedis.start(options.dir(), options.port()),
        EmbeddedRedis::port);
    // Redis runs outside this JVM, so only this keeps it up.
    new CountDownLatch(1).await();
  }
}
