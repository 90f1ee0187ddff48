/** Pictures of dashboards as plain SVG, without fonts, scripts or styles from elsewhere. */
@NullMarked
package io.kvmesh.quickstart.picture;

import org.jspecify.annotations.NullMarked;
