# cmake -D OUTPUT=x.cc -D CSS=… -D SCRIPT=… -D CHARTS=… -P EmbedWebAssets.cmake
# Writes the files as C++ raw strings. "</script" and "<!--" inside them would end or change the script element that the
# page puts them in, so they are refused here rather than at a reader's.
function(embed variable path)
  file(READ ${path} text)
  string(TOLOWER "${text}" lower)
  foreach(bad "</script" "</style" "<!--" ")crest_web\"")
    string(FIND "${lower}" "${bad}" at)
    if(NOT at EQUAL -1)
      message(FATAL_ERROR "${path}: holds ${bad}, which cannot be embedded")
    endif()
  endforeach()
  set(${variable} "R\"crest_web(${text})crest_web\"" PARENT_SCOPE)
endfunction()

embed(css ${CSS})
embed(script ${SCRIPT})
embed(charts ${CHARTS})
file(WRITE ${OUTPUT} "#include \"results/web/assets.h\"

namespace crest {
absl::string_view ReportCss() { return ${css}; }
absl::string_view ReportScript() { return ${script}; }
absl::string_view ChartLibrary() { return ${charts}; }
}  // namespace crest
")
