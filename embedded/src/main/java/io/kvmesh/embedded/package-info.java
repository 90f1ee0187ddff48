/** A real Kafka and a real Redis, in this process or in one of their own. */
@NullMarked
package io.kvmesh.embedded;

import org.jspecify.annotations.NullMarked;
