# cmake -DPROFILES="a.yaml;b.yaml" -DOUTPUT=profiles.cc -P embed_profiles.cmake: writes the table behind Profiles().
set(entries "")
foreach(profile ${PROFILES})
  get_filename_component(name ${profile} NAME_WE)
  file(READ ${profile} text)
  string(APPEND entries "    {\"${name}\", R\"profile(${text})profile\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"workloads/profiles.h\"

namespace crest {
namespace {

constexpr Profile kProfiles[] = {
${entries}};

}  // namespace

absl::Span<const Profile> Profiles() { return kProfiles; }

}  // namespace crest
")
