/** How what happens to files is repeated in another file system. */
package io.sluice.memory.fs.behind;
