/** README and docs, held against what there is: settings, metrics, endpoints, commands, links. */
@NullMarked
package io.kvmesh.quickstart.docs;

import org.jspecify.annotations.NullMarked;
