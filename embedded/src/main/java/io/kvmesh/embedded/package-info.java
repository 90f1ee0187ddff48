/**
 * What programs talk to, in this process or in one of their own: a real Kafka, a real Redis, with
 * certificates where they are asked for; and for tests a collector of traces.
 */
@NullMarked
package io.kvmesh.embedded;

import org.jspecify.annotations.NullMarked;
