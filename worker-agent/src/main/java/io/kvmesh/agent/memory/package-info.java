/** Memory off the heap, in pages. Knows nothing of keys, uses only the JDK. */
@NullMarked
package io.kvmesh.agent.memory;

import org.jspecify.annotations.NullMarked;
