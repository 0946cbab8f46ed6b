/** Write-behind: repeats the changes of a namespace in another file system. */
package io.sluice.memory.fs.behind;
